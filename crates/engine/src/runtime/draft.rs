//! Tasks while they are put together: what is the same in every instance of a task is said once.

use millstream_flow::MemoryBudget;
use millstream_operators::Operator;
use millstream_plan::OperatorId;
use millstream_types::{Fault, SchemaRef};

use super::{Chain, Target};
use crate::exchange::{Activity, Receiver, Sender, channel};
use crate::scan::SubscribedScan;

/// Bytes that a channel between two tasks holds.
const CHANNEL_BYTES: usize = 4 << 20;

/// Where elements come from within a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Entry(usize),
    Operator(usize),
}

/// A task that is being put together: its instances, which differ only in the rows that they get.
pub(super) struct Draft {
    pub(super) instances: Vec<Instance>,
}

/// One of the instances of a task.
#[derive(Default)]
pub(super) struct Instance {
    pub(super) chain: Chain,
    pub(super) outputs: Vec<Sender>,
    /// Scan tasks: the scans in the order of the chain's entries.
    pub(super) scans: Vec<SubscribedScan>,
    pub(super) dead_letters: Option<(SchemaRef, usize)>,
    /// Operator tasks: channels, each with the entry of the chain that it leads to.
    pub(super) inputs: Vec<(usize, Receiver)>,
}

/// All tasks of a job.
pub(super) struct Drafts {
    pub(super) tasks: Vec<Draft>,
    budget: MemoryBudget,
    activity: Activity,
}

impl Drafts {
    pub(super) fn new(budget: MemoryBudget, activity: Activity) -> Self {
        Drafts { tasks: Vec::new(), budget, activity }
    }

    /// A task with a number of instances; gives its number.
    pub(super) fn add(&mut self, instances: usize) -> usize {
        self.tasks.push(Draft { instances: (0..instances.max(1)).map(|_| Instance::default()).collect() });
        self.tasks.len() - 1
    }

    /// How many instances a task has.
    pub(super) fn instances(&self, task: usize) -> usize {
        self.tasks.get(task).map_or(1, |t| t.instances.len())
    }

    /// Adds an input to each instance; gives its number.
    pub(super) fn entry(&mut self, task: usize) -> usize {
        let mut number = 0;
        for instance in self.of(task) {
            number = instance.chain.add_entry();
        }
        number
    }

    /// Adds a scan to each instance; gives its number.
    ///
    /// # Errors
    /// What making it says.
    pub(super) fn scan(
        &mut self,
        task: usize,
        mut make: impl FnMut() -> Result<SubscribedScan, Fault>,
    ) -> Result<usize, Fault> {
        for instance in self.of(task) {
            let mut scan = make()?;
            // The queries of a table mostly have one declaration.
            if let Some(last) = instance.scans.last().filter(|l| l.watermark == scan.watermark) {
                scan.watermark = last.watermark.clone();
            }
            instance.scans.push(scan);
        }
        Ok(self.entry(task))
    }

    /// Adds an operator to each instance; gives its position in the chain.
    ///
    /// # Errors
    /// What making it says.
    pub(super) fn operator(
        &mut self,
        task: usize,
        make: impl Fn() -> Result<Box<dyn Operator>, Fault>,
        id: OperatorId,
        inputs: usize,
        statement: usize,
    ) -> Result<usize, Fault> {
        let mut number = 0;
        for instance in self.of(task) {
            number = instance.chain.add_operator(make()?, id, inputs, statement);
        }
        Ok(number)
    }

    /// Lets elements go to a target within the same task, too.
    pub(super) fn connect(&mut self, task: usize, from: From, target: Target) {
        for instance in self.of(task) {
            instance.connect(from, target);
        }
    }

    /// Channels from each instance of a task to another task.
    pub(super) fn channels(&mut self, task: usize, from: From, target: fn(usize) -> Target) -> Vec<Receiver> {
        let (budget, activity) = (self.budget.clone(), self.activity.clone());
        self.of(task)
            .iter_mut()
            .map(|instance| {
                let (number, receiver) = instance.output(&budget, &activity);
                instance.connect(from, target(number));
                receiver
            })
            .collect()
    }

    /// Channels for the bad records of each instance of a scan task.
    pub(super) fn dead_letters(&mut self, task: usize, schema: &SchemaRef) -> Vec<Receiver> {
        let (budget, activity) = (self.budget.clone(), self.activity.clone());
        self.of(task)
            .iter_mut()
            .map(|instance| {
                let (number, receiver) = instance.output(&budget, &activity);
                instance.dead_letters = Some((schema.clone(), number));
                receiver
            })
            .collect()
    }

    fn of(&mut self, task: usize) -> &mut [Instance] {
        self.tasks.get_mut(task).map_or(&mut [], |t| &mut t.instances)
    }
}

impl Instance {
    fn connect(&mut self, from: From, target: Target) {
        match from {
            From::Entry(e) => self.chain.connect_entry(e, target),
            From::Operator(o) => self.chain.connect_operator(o, target),
        }
    }

    fn output(&mut self, budget: &MemoryBudget, activity: &Activity) -> (usize, Receiver) {
        let (sender, receiver) = channel(CHANNEL_BYTES, budget.clone(), activity.clone());
        self.outputs.push(sender);
        (self.outputs.len() - 1, receiver)
    }
}
