use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_messages::wire::Request;
use aside_messages::{Rules, Violation};
use serde::Serialize;

use crate::Failure;
use crate::arguments::Check;
use crate::output;

/// One violation, as `--json` has it.
#[derive(Serialize)]
struct Finding<'a> {
    file: String,
    line: Option<usize>,
    rule: &'a str,
    path: &'a str,
    found: &'a str,
}

/// A body, and where in its file it is.
struct Body {
    file: PathBuf,
    /// Of a file with a body a line.
    line: Option<usize>,
    violations: Vec<Violation>,
}

pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    let rules = Rules {
        version: arguments.api_version.into(),
        ..Rules::default()
    };
    let mut bodies = Vec::new();
    for file in &arguments.files {
        let text = read(file).map_err(Failure::usage)?;
        check(file, &text, &rules, &mut bodies);
    }
    let report = if arguments.json {
        json(&bodies)?
    } else {
        lines(&bodies)
    };
    output::print([report.as_bytes()])?;
    let count: usize = bodies.iter().map(|body| body.violations.len()).sum();
    if count == 0 {
        return Ok(());
    }
    Err(anyhow::anyhow!("{count} violations in {} bodies", bodies.len()).into())
}

/// The bytes of a file; `-` is stdin.
pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let failed = || format!("failed to read {}", file.display());
    if file == Path::new("-") {
        let mut text = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut text)
            .with_context(failed)?;
        return Ok(text);
    }
    fs::read(file).with_context(failed)
}

/// A file is one body, or a body a line.
fn check(file: &Path, text: &[u8], rules: &Rules, bodies: &mut Vec<Body>) {
    let mut body = |line, text: &[u8]| {
        let violations = match Request::parse(text) {
            Ok(parsed) => parsed.value.check(rules),
            Err(error) => vec![Violation {
                rule: "shape",
                path: error.path().to_owned(),
                found: error.detail().to_owned(),
            }],
        };
        bodies.push(Body {
            file: file.to_owned(),
            line,
            violations,
        });
    };
    if !is_json_lines(text) {
        return body(None, text);
    }
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        if !line.trim_ascii().is_empty() {
            body(Some(number), line);
        }
    }
}

/// Whether the first line is a whole value, and something follows it.
fn is_json_lines(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else {
        return false;
    };
    serde_json::from_slice::<serde::de::IgnoredAny>(&text[..end]).is_ok()
}

fn lines(bodies: &[Body]) -> String {
    let mut report = String::new();
    for body in bodies {
        for violation in &body.violations {
            let line = body.line.map(|line| format!(":{line}")).unwrap_or_default();
            let text = format!("{}{line}: {violation}", body.file.display());
            report.push_str(&crate::visible::visible(&text));
            report.push('\n');
        }
    }
    report
}

fn json(bodies: &[Body]) -> Result<String, serde_json::Error> {
    let findings = bodies.iter().flat_map(|body| {
        body.violations.iter().map(|violation| Finding {
            file: body.file.to_string_lossy().into_owned(),
            line: body.line,
            rule: violation.rule,
            path: &violation.path,
            found: &violation.found,
        })
    });
    #[derive(Serialize)]
    struct Report<'a> {
        violations: Vec<Finding<'a>>,
    }
    let mut report = serde_json::to_string_pretty(&Report {
        violations: findings.collect(),
    })?;
    report.push('\n');
    Ok(report)
}
