//! Operators that run in one task, one calling the next.

use millstream_flow::{Element, Watermark};
use millstream_operators::{Operator, OperatorContext, Output, StateWriter};
use millstream_plan::OperatorId;
use millstream_types::Fault;

use super::TaskState;
use crate::exchange::InputStates;

/// Where the elements of an operator go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An input of an operator of the same chain.
    Operator {
        /// Position in the chain.
        operator: usize,
        /// Number of its input.
        input: usize,
    },
    /// A channel to another task of operators.
    Channel(usize),
    /// A channel to a sink, which has no use for watermarks: with hundreds of sinks on one scan they would cost more than the rows.
    Sink(usize),
}

struct Link {
    operator: Box<dyn Operator>,
    id: OperatorId,
    inputs: InputStates,
    targets: Vec<Target>,
    /// Faults of this operator belong to this statement.
    statement: usize,
}

/// A graph of operators without waiting: what is to be sent to other tasks is collected for the caller.
#[derive(Default)]
pub struct Chain {
    links: Vec<Link>,
    /// Where the elements of each of the task's inputs go.
    entries: Vec<Vec<Target>>,
}

impl Chain {
    /// Adds an input of the task; gives its number.
    pub fn add_entry(&mut self) -> usize {
        self.entries.push(Vec::new());
        self.entries.len() - 1
    }

    /// Adds an operator with a number of inputs; gives its position.
    pub fn add_operator(
        &mut self,
        operator: Box<dyn Operator>,
        id: OperatorId,
        inputs: usize,
        statement: usize,
    ) -> usize {
        self.links.push(Link {
            operator,
            id,
            inputs: InputStates::new(inputs),
            targets: Vec::new(),
            statement,
        });
        self.links.len() - 1
    }

    /// Lets an entry's elements go to a target, too.
    pub fn connect_entry(&mut self, entry: usize, target: Target) {
        if let Some(targets) = self.entries.get_mut(entry) {
            targets.push(target);
        }
    }

    /// Lets an operator's elements go to a target, too.
    pub fn connect_operator(&mut self, operator: usize, target: Target) {
        if let Some(link) = self.links.get_mut(operator) {
            link.targets.push(target);
        }
    }

    /// Whether watermarks of an entry reach anything that looks at them.
    pub fn takes_watermarks(&self, entry: usize) -> bool {
        self.entries.get(entry).is_some_and(|targets| self.any_takes_watermarks(targets))
    }

    fn any_takes_watermarks(&self, targets: &[Target]) -> bool {
        targets.iter().any(|target| match target {
            Target::Sink(_) => false,
            Target::Channel(_) => true,
            Target::Operator { operator, .. } => self.links.get(*operator).is_some_and(|link| {
                link.operator.uses_watermarks() || self.any_takes_watermarks(&link.targets)
            }),
        })
    }

    /// Pushes an element through. Elements for other tasks are appended to `emitted`; state written at a barrier to `state`.
    ///
    /// # Errors
    /// What an operator says, with the statement it belongs to.
    pub fn push(
        &mut self,
        entry: usize,
        element: Element,
        context: &OperatorContext,
        emitted: &mut Vec<(usize, Element)>,
        state: &mut TaskState,
    ) -> Result<(), (usize, Fault)> {
        let targets = self.entries.get(entry).cloned().unwrap_or_default();
        self.give(&targets, element, context, emitted, state)
    }

    fn give(
        &mut self,
        targets: &[Target],
        element: Element,
        context: &OperatorContext,
        emitted: &mut Vec<(usize, Element)>,
        state: &mut TaskState,
    ) -> Result<(), (usize, Fault)> {
        // The last target takes the element itself.
        let Some((last, others)) = targets.split_last() else { return Ok(()) };
        for target in others {
            self.give_one(*target, element.clone(), context, emitted, state)?;
        }
        self.give_one(*last, element, context, emitted, state)
    }

    fn give_one(
        &mut self,
        target: Target,
        element: Element,
        context: &OperatorContext,
        emitted: &mut Vec<(usize, Element)>,
        state: &mut TaskState,
    ) -> Result<(), (usize, Fault)> {
        let (operator, input) = match target {
            Target::Sink(_) if matches!(element, Element::Watermark(_) | Element::Idle) => return Ok(()),
            Target::Channel(c) | Target::Sink(c) => {
                emitted.push((c, element));
                return Ok(());
            }
            Target::Operator { operator, input } => (operator, input),
        };
        let Some(link) = self.links.get_mut(operator) else { return Ok(()) };
        let statement = link.statement;
        let mut out = Output::default();
        let mut behind: Vec<Element> = Vec::new();
        match element {
            Element::Batch(batch) => {
                link.inputs.idle(input, false);
                link.operator.process(input, batch, context, &mut out).map_err(|f| (statement, f))?;
            }
            Element::Watermark(w) => {
                if let Some(w) = link.inputs.watermark(input, w) {
                    link.operator.watermark(w, context, &mut out).map_err(|f| (statement, f))?;
                    behind.push(Element::Watermark(w));
                }
            }
            Element::Idle => {
                if let Some(w) = link.inputs.idle(input, true) {
                    link.operator.watermark(w, context, &mut out).map_err(|f| (statement, f))?;
                    behind.push(Element::Watermark(w));
                }
                if link.inputs.all_idle() {
                    behind.push(Element::Idle);
                }
            }
            Element::Barrier(b) => {
                if let Some(b) = link.inputs.barrier(input, b) {
                    let mut writer = state.writer(link.id);
                    link.operator
                        .snapshot(&mut writer as &mut dyn StateWriter)
                        .map_err(|f| (statement, f))?;
                    behind.push(Element::Barrier(b));
                }
            }
            Element::End => {
                let (moved, all) = link.inputs.end(input);
                if let Some(Watermark(w)) = moved.filter(|_| !all) {
                    link.operator.watermark(Watermark(w), context, &mut out).map_err(|f| (statement, f))?;
                    behind.push(Element::Watermark(Watermark(w)));
                }
                if all {
                    behind.push(Element::End);
                }
            }
        }
        let targets = link.targets.clone();
        for batch in out.batches {
            self.give(&targets, Element::Batch(batch), context, emitted, state)?;
        }
        for element in behind {
            self.give(&targets, element, context, emitted, state)?;
        }
        Ok(())
    }
}
