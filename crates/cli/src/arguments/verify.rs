//! The arguments of `aside verify`.

use std::path::PathBuf;

use clap::Args;

/// Check golden scenarios: sessions, and the exact bytes of their requests.
///
/// DIR is a scenario, a folder with a scenario.yaml, or contains one folder for
/// each scenario. Each failure is printed with its file, JSON path, byte and
/// text, and the section or entry that is its source; then the number of failed
/// scenarios.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside verify
  aside verify --bless && git diff
  aside verify .aside/scenarios --junit report.xml

Exit codes: 0 success, 1 a scenario failed, 2 usage error.")]
pub(crate) struct Verify {
    /// The folder of the scenarios.
    #[arg(value_name = "DIR", default_value = ".aside/scenarios")]
    pub(crate) directory: PathBuf,

    /// Print one JSON object: {"scenarios":[{"name","failures","warnings"}],
    /// "blessed":["file"],"failed":0}.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the current bytes as the expected ones, and print the changes.
    /// This is refused if the variable CI is set, since a person has to review
    /// them.
    #[arg(long)]
    pub(crate) bless: bool,

    /// Also write a report in the JUnit format.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}
