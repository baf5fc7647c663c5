//! The tree as a program for the backtracking engine.

use regex_syntax::hir::ClassUnicode;

use super::tree::{Assert, Fold, Greed, Node};

/// Beyond this many instructions a pattern is refused.
const MAX_INSTRUCTIONS: usize = 200_000;

#[derive(Debug)]
pub(super) enum Inst {
    Char(char),
    Set(ClassUnicode),
    /// Try the first, then the second.
    Split(usize, usize),
    Jump(usize),
    Open(usize),
    Close(usize),
    Assert(Assert),
    Backref {
        group: usize,
        fold: Fold,
    },
    /// A run of one set.
    Run {
        set: ClassUnicode,
        min: u32,
        max: u32,
        greed: Greed,
    },
    /// Starts the counter.
    LoopStart(usize),
    /// One more round, or on: `body` follows at once, `exit` after the loop.
    Loop {
        slot: usize,
        min: u32,
        max: u32,
        lazy: bool,
        body: usize,
        exit: usize,
    },
    /// Runs what follows up to its `End` on its own, then goes on at `then`.
    Look {
        behind: Option<(i32, i32)>,
        negated: bool,
        then: usize,
    },
    /// As `Look`, but keeps what was taken.
    Atomic {
        then: usize,
    },
    /// The end of a look-around, an atomic group, or the pattern.
    End,
}

#[derive(Debug)]
pub(super) struct Program {
    pub insts: Vec<Inst>,
    pub groups: usize,
    pub loops: usize,
}

struct Builder {
    insts: Vec<Inst>,
    loops: usize,
}

/// `None` if the program would be too large.
pub(super) fn compile(node: &Node, groups: usize) -> Option<Program> {
    let mut builder = Builder { insts: Vec::new(), loops: 0 };
    builder.node(node);
    builder.insts.push(Inst::End);
    (builder.insts.len() <= MAX_INSTRUCTIONS).then_some(Program {
        insts: builder.insts,
        groups,
        loops: builder.loops,
    })
}

impl Builder {
    fn here(&self) -> usize {
        self.insts.len()
    }

    fn push(&mut self, inst: Inst) -> usize {
        self.insts.push(inst);
        self.insts.len() - 1
    }

    fn set(&mut self, at: usize, inst: Inst) {
        if let Some(slot) = self.insts.get_mut(at) {
            *slot = inst;
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Empty => {}
            Node::Char(c) => {
                self.push(Inst::Char(*c));
            }
            Node::Set(set) => {
                self.push(Inst::Set(set.class.clone()));
            }
            Node::Concat(parts) => parts.iter().for_each(|p| self.node(p)),
            Node::Alt(parts) => {
                let mut jumps = Vec::new();
                let last = parts.len().saturating_sub(1);
                for (i, part) in parts.iter().enumerate() {
                    if i == last {
                        self.node(part);
                        break;
                    }
                    let split = self.push(Inst::End);
                    self.node(part);
                    jumps.push(self.push(Inst::End));
                    let next = self.here();
                    self.set(split, Inst::Split(split + 1, next));
                }
                let end = self.here();
                jumps.into_iter().for_each(|j| self.set(j, Inst::Jump(end)));
            }
            Node::Group { index, node } => {
                self.push(Inst::Open(*index));
                self.node(node);
                self.push(Inst::Close(*index));
            }
            Node::Bare(node) => self.node(node),
            Node::Repeat { node, min, max, greed, .. } => self.repeat(node, *min, *max, *greed),
            Node::Look { behind, negated, node } => {
                let at = self.push(Inst::End);
                self.node(node);
                self.push(Inst::End);
                let then = self.here();
                self.set(at, Inst::Look { behind: *behind, negated: *negated, then });
            }
            Node::Atomic(node) => self.atomic(|b| b.node(node)),
            Node::Backref { group, fold } => {
                self.push(Inst::Backref { group: *group, fold: *fold });
            }
            Node::Assert(assert) => {
                self.push(Inst::Assert(*assert));
            }
        }
    }

    fn atomic(&mut self, body: impl FnOnce(&mut Self)) {
        let at = self.push(Inst::End);
        body(self);
        self.push(Inst::End);
        let then = self.here();
        self.set(at, Inst::Atomic { then });
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed) {
        let most = max.unwrap_or(u32::MAX);
        let mut inner = node;
        while let Node::Bare(node) = inner {
            inner = node;
        }
        let class = match inner {
            Node::Set(set) => Some(set.class.clone()),
            Node::Char(c) => Some(super::tree::Set::one(*c as u32).class),
            _ => None,
        };
        if let Some(set) = class {
            self.push(Inst::Run { set, min, max: most, greed });
        } else if greed == Greed::Possessive {
            // Each round keeps what it took, too.
            let round = Node::Atomic(Box::new(node.clone()));
            self.atomic(|b| b.repeat(&round, min, max, Greed::Greedy));
        } else if min == 0 && most == 1 {
            let split = self.push(Inst::End);
            self.node(node);
            let end = self.here();
            let inst =
                if greed == Greed::Lazy { Inst::Split(end, split + 1) } else { Inst::Split(split + 1, end) };
            self.set(split, inst);
        } else {
            let slot = self.loops;
            self.loops += 1;
            self.push(Inst::LoopStart(slot));
            let head = self.push(Inst::End);
            self.node(node);
            self.push(Inst::Jump(head));
            let exit = self.here();
            let lazy = greed == Greed::Lazy;
            self.set(head, Inst::Loop { slot, min, max: most, lazy, body: head + 1, exit });
        }
    }
}
