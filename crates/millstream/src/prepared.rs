//! Texts that are planned before anything of them runs, and planned only once.

use millstream_engine::not_runnable;
use millstream_plan::catalog::FOLLOW_UP;
use millstream_plan::statement::{Planned, SessionState};
use millstream_plan::{JobPlan, JobSettings};
use millstream_sql::ast::{SpannedStatement, Statement};
use millstream_sql::parse_script;
use millstream_types::{Fault, Span};

/// A text's statements, ready to be carried out: [`Session::prepare`](crate::Session::prepare).
#[derive(Debug)]
pub struct Prepared {
    steps: Vec<Step>,
}

/// What is to be done for a statement.
#[derive(Debug)]
pub enum Step {
    /// An INSERT or statement set: its plan, to be merged with those of other steps into one job.
    Insert(Box<JobPlan>),
    /// Another statement, to be carried out by [`Session::statement`](crate::Session::statement).
    Statement(SpannedStatement),
}

impl Prepared {
    /// The steps, in the order of the text.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps, to be carried out in their order.
    pub fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// The settings of the job that the INSERTs are: those of the last one. `None`: there is no INSERT.
    pub fn job_settings(&self) -> Option<&JobSettings> {
        self.steps.iter().rev().find_map(|s| match s {
            Step::Insert(plan) => Some(&plan.settings),
            Step::Statement(_) => None,
        })
    }
}

/// A text that was planned, and what is wrong with it.
#[derive(Default)]
pub(crate) struct Planning {
    /// Its statements, with their plans where they have one, in the order of the text.
    pub(crate) statements: Vec<(SpannedStatement, Option<PlanOf>)>,
    /// What is wrong with it, in the order of the text.
    pub(crate) faults: Vec<Fault>,
    /// What only stands in the way of running it.
    pub(crate) waiting: Vec<Fault>,
}

/// A statement's plan.
pub(crate) enum PlanOf {
    Insert(Box<JobPlan>),
    /// A SELECT, or what EXPLAIN explains.
    Query(Box<JobPlan>),
}

impl Planning {
    /// Plans a text. `state` takes what the text declares.
    pub(crate) fn of(state: &mut SessionState, text: &str) -> Self {
        let (statements, faults) = parse_script(text);
        let mut planning = Planning { faults, ..Planning::default() };
        if statements.is_empty() && planning.faults.is_empty() {
            let fault = Fault::user("parse", "the text holds no statement");
            let fault = fault.at(Span::new(text.len(), text.len())).hint("write one, for example SELECT 1");
            planning.faults.push(fault);
        }
        // What could not be read is remembered, so that its use adds no fault of its own.
        state.remember_unread(text, &planning.faults);
        for statement in statements {
            let plan = match state.execute(&statement, text) {
                Ok(Planned::Insert(plan)) => {
                    planning.waiting.extend(not_runnable(&plan).map(|(_, f)| f));
                    Some(PlanOf::Insert(plan))
                }
                Ok(Planned::Query(plan)) => {
                    planning.waiting.extend(not_runnable(&plan).map(|(_, f)| f));
                    Some(PlanOf::Query(plan))
                }
                Ok(Planned::Explain(plan, _)) => Some(PlanOf::Query(plan)),
                Ok(other) => {
                    planning.waiting.extend(unsupported(&other).map(|f| f.at(statement.span)));
                    None
                }
                Err(f) if f.code() == FOLLOW_UP => None,
                Err(f) => {
                    planning.faults.push(f);
                    None
                }
            };
            planning.statements.push(hollow(statement, plan));
        }
        planning.faults.sort_by_key(|f| f.span().map_or(0, |s| s.start));
        planning
    }

    /// The steps of running it, and all that is wrong or stands in the way, in the order of the text.
    pub(crate) fn prepared(self) -> (Prepared, Vec<Fault>) {
        let steps = self.statements.into_iter().map(|(statement, plan)| match plan {
            Some(PlanOf::Insert(plan)) if is_only_planned(&statement.statement) => Step::Insert(plan),
            _ => Step::Statement(statement),
        });
        let prepared = Prepared { steps: steps.collect() };
        let mut faults = self.faults;
        faults.extend(self.waiting);
        faults.sort_by_key(|f| f.span().map_or(0, |s| s.start));
        (prepared, faults)
    }
}

/// Whether planning a statement is all that carrying it out does, so that its text is of no more use.
fn is_only_planned(statement: &Statement) -> bool {
    matches!(statement, Statement::Insert(_) | Statement::StatementSet(_))
}

/// A statement without its text's tree, where the plan stands for it: the trees of thousands of rules are larger than their plans.
fn hollow(statement: SpannedStatement, plan: Option<PlanOf>) -> (SpannedStatement, Option<PlanOf>) {
    let planned = matches!(plan, Some(PlanOf::Insert(_))) && is_only_planned(&statement.statement);
    if !planned {
        return (statement, plan);
    }
    (SpannedStatement { statement: Statement::StatementSet(Vec::new()), span: statement.span }, plan)
}

/// What this version parses and plans, but cannot carry out.
pub(crate) fn unsupported(planned: &Planned) -> Option<Fault> {
    match planned {
        Planned::Truncate(_) => Some(Fault::not_yet("TRUNCATE TABLE")),
        Planned::CompilePlan { .. } => Some(Fault::not_yet("COMPILE PLAN")),
        Planned::ExecutePlan(_) => Some(Fault::not_yet("EXECUTE PLAN")),
        _ => None,
    }
}
