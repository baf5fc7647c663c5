//! Look-ahead at the start of a text, told apart: `^(?!A)(?=B)C` matches where `^C` does, `^A` does not, and `^B` does. Each of the three runs in
//! linear time; it is the usual way of writing "not one of these networks".

use super::Linear;
use super::tree::{Assert, Node};

/// The parts of a pattern that begins with look-ahead at the start of the text. Together they tell whether there is a match, not which groups took part.
pub(super) struct Ahead {
    /// What is looked for, and whether it must not be there.
    looks: Vec<(Linear, bool)>,
    rest: Linear,
}

impl Ahead {
    /// The parts, if every one of them can run in linear time.
    pub(super) fn of(node: &Node) -> Option<Self> {
        let Node::Concat(parts) = node else { return None };
        let (Node::Assert(Assert::Start), behind) = parts.split_first()? else { return None };
        let count = behind.iter().take_while(|p| matches!(p, Node::Look { behind: None, .. })).count();
        let (looks, rest) = behind.split_at_checked(count).filter(|(looks, _)| !looks.is_empty())?;
        let looks = looks
            .iter()
            .map(|look| match look {
                Node::Look { node, negated, .. } => {
                    Some((anchored(std::slice::from_ref(node.as_ref()))?, *negated))
                }
                _ => None,
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Ahead { looks, rest: anchored(rest)? })
    }

    /// Whether a text matches; `None`: the parts mean something else for this text than in Java.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        let met = |linear: &Linear| linear.needs.met(text);
        if !met(&self.rest) || !self.looks.iter().all(|(look, _)| met(look)) {
            return None;
        }
        for (look, negated) in &self.looks {
            if look.regex()?.is_match(text) == *negated {
                return Some(false);
            }
        }
        Some(self.rest.regex()?.is_match(text))
    }
}

/// A linear program of parts at the start of the text.
fn anchored(parts: &[Node]) -> Option<Linear> {
    let mut all = vec![Node::Assert(Assert::Start)];
    all.extend(parts.iter().cloned());
    Linear::of(&Node::Concat(all))
}
