//! `aside check`: what the API would refuse of a request body.

mod bodies;
mod report;

use std::path::Path;

use anyhow::anyhow;
use aside_messages::wire::Request;
use aside_messages::{Rules, Violation};
use aside_providers::{Form, import};

use self::report::Report;
use crate::Failure;
use crate::arguments::Check;
use crate::count::count;
use crate::kinds;
use crate::output;

pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    let rules = Rules {
        version: arguments.api_version.into(),
        ..Rules::default()
    };
    let mut report = Report::new(arguments.json);
    let mut bodies = 0;
    for file in &arguments.files {
        bodies::each(file, &mut |line, text| {
            bodies += 1;
            let violations = violations(file, line, text, &rules);
            let mut violations = violations.iter();
            Ok(violations.try_for_each(|it| report.add(file, line, it))?)
        })?;
    }
    let violations = report.end()?;
    if violations == 0 {
        return Ok(());
    }
    let violations = count(violations, "violation", "violations");
    let bodies = count(bodies, "body", "bodies");
    Err(anyhow!("{violations} in {bodies}").into())
}

/// Checks a body. One of another wire is checked as what it becomes in the
/// Messages API.
fn violations(file: &Path, line: Option<usize>, text: &[u8], rules: &Rules) -> Vec<Violation> {
    let form = Form::of(text).filter(|form| *form != Form::Messages);
    if let Some(form) = form {
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        let note = kinds::INPUT_FORM.diagnostic(format!("{line}read as {form}"));
        output::report(&note.at(file));
        return match import(text) {
            Ok(imported) => imported.request.check(rules),
            Err(error) => vec![Violation {
                rule: "shape",
                path: error.path().to_owned(),
                found: error.to_string(),
            }],
        };
    }
    match Request::parse(text) {
        Ok(parsed) => parsed.value.check(rules),
        Err(error) => vec![Violation {
            rule: "shape",
            path: error.path().to_owned(),
            found: error.detail().to_owned(),
        }],
    }
}
