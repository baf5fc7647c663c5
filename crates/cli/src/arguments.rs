//! The command line.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

/// Flink SQL in one small binary.
#[derive(Debug, Parser)]
#[command(name = "millstream", version, about)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run SQL files: all their INSERTs are one job that reads each source once.
    Run(RunArguments),
    /// Say everything that is wrong with SQL files, without running them.
    Check(TextArguments),
    /// Print the plans of SQL files, without running them; with --rules, what each rule costs and why.
    Explain(ExplainArguments),
    /// Say which part of a rule's condition an event does not meet, with the values.
    ExplainEvent(ExplainEventArguments),
    /// List the functions, or say what one does.
    Functions(FunctionArguments),
}

/// Where the SQL comes from.
#[derive(Debug, Args)]
pub struct SqlArguments {
    /// SQL files, run one after the other in one session; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// SQL text instead of files.
    #[arg(short = 'e', long = "execute", value_name = "SQL", conflicts_with = "files")]
    pub sql: Option<String>,
    /// Set a session option before the first statement, as SET does.
    #[arg(short = 'D', value_name = "OPTION=VALUE")]
    pub options: Vec<String>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["files", "sql", "watch"])))]
pub struct RunArguments {
    /// The text.
    #[command(flatten)]
    pub text: SqlArguments,
    /// Run a directory: each of its SQL files, and of its folders', is a job. Files that come, change or go start, swap or stop their jobs while the
    /// others run.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["restore", "allow_duplicates", "output"])]
    pub watch: Option<PathBuf>,
    /// How often the directory is looked at.
    #[arg(long, value_name = "DURATION", default_value = "1 s", requires = "watch")]
    pub watch_interval: String,
    /// How the rows of a SELECT are printed; a table on a terminal, else CSV.
    #[arg(short, long, value_enum)]
    pub output: Option<Output>,
    /// Go on from a checkpoint: `latest`, a number, or `none` to begin anew.
    #[arg(long, value_name = "CHECKPOINT", default_value = "none")]
    pub restore: String,
    /// Allow an older checkpoint although output behind it is repeated.
    #[arg(long)]
    pub allow_duplicates: bool,
    /// No progress line and no table at the end.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `check` and `explain`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["files", "sql"])))]
pub struct TextArguments {
    /// The text.
    #[command(flatten)]
    pub text: SqlArguments,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The text.
    #[command(flatten)]
    pub text: TextArguments,
    /// Instead of the plans, a table of the INSERTs' conditions: how each one's rows are found, and what it costs on the sample.
    #[arg(long)]
    pub rules: bool,
    /// A file of records that stands in for every source while the rules are measured; nothing is written anywhere. It may also stand
    /// behind the SQL files, if its name does not end with `.sql`.
    #[arg(long, value_name = "FILE", requires = "rules")]
    pub sample: Option<PathBuf>,
}

/// Arguments of `explain-event`.
#[derive(Debug, Args)]
pub struct ExplainEventArguments {
    /// The SQL files, and behind them the file of the event: one record, as the rule's source has it, or one a line.
    #[arg(required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// The rule: the table that its INSERT writes; `table#2` for the second one, where several write it. `explain --rules` shows the names.
    #[arg(long, value_name = "NAME")]
    pub rule: String,
    /// Set a session option before the first statement, as SET does.
    #[arg(short = 'D', value_name = "OPTION=VALUE")]
    pub options: Vec<String>,
}

/// Arguments of `functions`.
#[derive(Debug, Args)]
pub struct FunctionArguments {
    /// A function's name.
    pub name: Option<String>,
    /// Print the manual's page of all functions (Markdown).
    #[arg(long, conflicts_with = "name")]
    pub markdown: bool,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Aligned columns.
    Table,
    /// One JSON object a line.
    Json,
    /// CSV with a header.
    Csv,
    /// Kind and values of every change: `+I[1, a]`.
    Changelog,
}
