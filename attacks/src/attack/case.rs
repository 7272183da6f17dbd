//! Case files: a class's cases as data, in `attacks/cases/CLASS.json`.
//!
//! A case has a name, variables, steps, and what to expect from each command
//! that its steps run:
//!
//! ```json
//! {
//!   "name": "${kind} at CLAUDE.md",
//!   "each": {"kind": ["fifo", "socket"]},
//!   "steps": [{"sh": "mkfifo project/CLAUDE.md"}, {"run": [["render", "go"], ["memory"]]}],
//!   "with": {"seconds": 5},
//!   "expect": [["ends"], [{"without": {"text": "secret"}}]]
//! }
//! ```
//!
//! The case is tried with every combination in `each`, in a place of its own.
//! Each item in `expect` is one attempt for each command; it holds if each of
//! its checks does. All cases in the file share its `values` and `steps`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::check::Check;
use super::fields::Instances;
use super::plants::Plants;
use super::template::{Scope, spread, variable};
use super::{Extent, root};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Class {
    /// What the class tries, for readers of the file.
    #[serde(rename = "about")]
    _about: String,
    /// Variables for every case.
    #[serde(default)]
    pub(super) values: Map<String, Value>,
    /// Steps that several cases share.
    #[serde(default)]
    pub(super) steps: BTreeMap<String, Vec<Step>>,
    pub(super) cases: Vec<Case>,
}

/// One case, for every combination of its variables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The name in findings.
    pub(super) name: String,
    #[serde(rename = "about", default)]
    _about: String,
    /// Lists of values by variable, or by several as `a, b`. A list may be
    /// named as `${list}`, or as `${...list}` within another, and differ by
    /// extent: `{"long": […], "short": […]}`.
    #[serde(default)]
    each: Map<String, Value>,
    #[serde(default)]
    pub(super) steps: Vec<Step>,
    #[serde(default)]
    pub(super) with: Options,
    #[serde(default)]
    pub(super) expect: Vec<Vec<Check>>,
    /// A request to a server, for the class `gateway`.
    pub(super) request: Option<Request>,
}

/// A step in a case. Paths are relative to the place.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Step {
    /// Makes the project a repository with a commit.
    Init,
    /// Writes a file, and the directories above it: path and content.
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
    /// Sets a variable to what a shell script prints.
    Capture(String, String),
    /// Takes steps that the file names.
    Use(String),
    /// Takes steps for each value in a list, or for each number below one.
    For(String, Value, Vec<Step>),
    /// Takes steps while a link and a directory are exchanged: directory,
    /// target.
    Exchange(String, String, Vec<Step>),
    /// Adds arguments for the requests of `tags`.
    Arguments(Value),
    /// Plants forms in instances of a JSON Schema, for `tags`.
    Instances(Instances),
    /// Runs commands, and judges each by what the case expects.
    Run(Vec<Value>),
    /// As `run`, with another program.
    Program(Value),
    /// Judges the last command again, by other expectations.
    Check(Vec<Vec<Check>>),
}

/// How to run a case's commands.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    /// The working directory, if it is not the project.
    pub(super) cwd: Option<String>,
    /// stdout is a terminal.
    pub(super) terminal: bool,
    /// How many attempts each judgement counts for beyond the first, such as
    /// files.
    pub(super) further_attempts: usize,
    /// A command's address space.
    pub(super) memory_kib: Option<u64>,
    /// How long a command may take. A slow one is repeated once, because a
    /// delay of the machine does not repeat.
    pub(super) seconds: Option<f64>,
}

/// A request, or a response, with variables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The name in findings, before the head.
    #[serde(default)]
    pub(super) label: String,
    /// The method and the target, or the version and the status.
    pub(super) head: String,
    /// Pairs of name and value.
    pub(super) headers: Value,
    pub(super) body: Value,
}

impl Class {
    /// Reads a class's case file.
    pub(super) fn read(name: &str) -> Result<Self> {
        let path = root().join(format!("attacks/cases/{name}.json"));
        let text = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("failed to parse {}", path.display()))
    }

    /// At least one.
    pub(super) fn named(&self, name: &str) -> Result<Vec<&Case>> {
        let found: Vec<_> = self.cases.iter().filter(|it| it.name == name).collect();
        anyhow::ensure!(!found.is_empty(), "no case has the name {name}");
        Ok(found)
    }

    /// Returns variables for every combination in a case.
    pub(super) fn scopes(&self, case: &Case, extent: Extent) -> Result<Vec<Scope>> {
        let all = self.combinations(case, extent)?.into_iter();
        Ok(all.map(|(_, scope)| scope).collect())
    }

    /// Returns every combination, in the short form every other one if two lists or more have
    /// several values: each value occurs with half of the others.
    pub(super) fn sample(&self, case: &Case, extent: Extent) -> Result<Vec<Scope>> {
        let lists = case.each.values().map(|it| self.list(it, extent));
        let lists = lists.collect::<Result<Vec<_>>>()?;
        let is_sampled = lists.iter().filter(|it| it.len() > 1).count() > 1;
        let step = if is_sampled { extent.pick(1, 2) } else { 1 };
        let all = self.combinations(case, extent)?.into_iter();
        Ok(all.filter(|(sum, _)| sum % step == 0).map(|(_, scope)| scope).collect())
    }

    /// Returns variables for every combination in a case, with the sum of the positions in its
    /// lists.
    fn combinations(&self, case: &Case, extent: Extent) -> Result<Vec<(usize, Scope)>> {
        let mut scopes = vec![(0, Scope::new(&self.values, Plants::default()))];
        for (names, values) in &case.each {
            let values = self.list(values, extent)?;
            let mut all = Vec::new();
            for (sum, scope) in &scopes {
                for (position, value) in values.iter().enumerate() {
                    let mut scope = scope.clone();
                    scope.assign(names, value)?;
                    all.push((sum + position, scope));
                }
            }
            scopes = all;
        }
        Ok(scopes)
    }

    /// Returns a list's values, with the lists that it names.
    pub(super) fn list(&self, value: &Value, extent: Extent) -> Result<Vec<Value>> {
        let named = |name: &str| {
            let list = self.values.get(name);
            self.list(list.with_context(|| format!("no list {name}"))?, extent)
        };
        match value {
            Value::Array(items) => {
                let item = |it: &Value| spread(it).map_or_else(|| Ok(vec![it.clone()]), named);
                Ok(items.iter().map(item).collect::<Result<Vec<_>>>()?.concat())
            }
            Value::Object(extents) => {
                let key = extent.pick("long", "short");
                self.list(extents.get(key).context("no list for the extent")?, extent)
            }
            name => {
                let name = name.as_str().and_then(variable);
                named(name.context("a list, or its name")?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_file_can_be_read() {
        for name in [
            "cost",
            "exchange",
            "faults",
            "forms",
            "gateway",
            "git",
            "input-files",
            "kills",
            "links",
            "tags",
            "terminal",
        ] {
            let class = Class::read(name).unwrap();
            for case in &class.cases {
                let sample = class.sample(case, Extent::Short).unwrap().len();
                for values in case.each.values() {
                    let values = class.list(values, Extent::Short).unwrap().len();
                    assert!(sample >= values, "{name}: {}: {sample} of {values}", case.name);
                }
            }
        }
    }
}
