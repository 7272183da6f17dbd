//! The steps of a case: hostile files, and the commands that meet them.

use serde::Deserialize;
use serde_json::Value;

use super::check::Check;
use super::fields::Instances;

/// A step of a case. Paths are relative to the place.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Step {
    /// Makes the project a repository with a commit.
    Init,
    /// Writes a file, and the directories that it is in: path and content.
    Write(String, Value),
    /// Makes a symbolic link: target and path.
    Link(String, String),
    /// Makes a Unix socket without a server.
    Socket(String),
    /// Runs git in the project. A failure is no error: git refuses many hostile
    /// names itself.
    Git(Value),
    /// Runs a shell script in the place, which has to succeed.
    Sh(String),
    /// Sets a variable to the output of a shell script.
    Capture(String, String),
    /// Takes steps that the file names.
    Use(String),
    /// Takes steps for each value of a list, or for each number below one.
    For(String, Value, Vec<Step>),
    /// Takes steps while a directory is exchanged for a link: directory, target.
    Exchange(String, String, Vec<Step>),
    /// Adds arguments for the requests of `tags`.
    Arguments(Value),
    /// Plants forms in instances of a JSON Schema, for `tags`.
    Instances(Instances),
    /// Runs commands, and judges each by the expectations of the case.
    Run(Vec<Value>),
    /// As `run`, with another program.
    Program(Value),
    /// Judges the last command again, by other expectations.
    Check(Vec<Vec<Check>>),
}
