use std::path::Path;

use aside_messages::Violation;
use aside_text::one_line;
use serde::Serialize;

use crate::output;

/// What is printed at one time, in bytes.
const PIECE: usize = 64 * 1024;

/// The violations, printed as they are found: there may be more of them than
/// there is memory.
pub(super) struct Report {
    is_json: bool,
    /// What is not printed yet.
    text: String,
    count: u64,
}

/// One violation, as `--json` has it.
#[derive(Serialize)]
struct Finding<'a> {
    file: String,
    line: Option<usize>,
    rule: &'a str,
    path: &'a str,
    found: &'a str,
}

impl Report {
    pub(super) fn new(is_json: bool) -> Self {
        let text = if is_json {
            "{\n  \"violations\": ["
        } else {
            ""
        };
        Self {
            is_json,
            text: text.to_owned(),
            count: 0,
        }
    }

    pub(super) fn add(
        &mut self,
        file: &Path,
        line: Option<usize>,
        violation: &Violation,
    ) -> anyhow::Result<()> {
        if self.is_json {
            self.text
                .push_str(if self.count == 0 { "\n" } else { ",\n" });
            self.print_if_long()?;
            self.text.push_str(&json(file, line, violation)?);
        } else {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            let text = format!("{}{line}: {violation}", file.display());
            self.text.push_str(&one_line(&text));
            self.text.push('\n');
            self.print_if_long()?;
        }
        self.count += 1;
        Ok(())
    }

    /// Prints what is left; how many there were.
    pub(super) fn end(mut self) -> anyhow::Result<u64> {
        if self.is_json {
            let close = if self.count == 0 {
                "]\n}\n"
            } else {
                "\n  ]\n}\n"
            };
            self.text.push_str(close);
        }
        output::print([self.text.as_bytes()])?;
        Ok(self.count)
    }

    fn print_if_long(&mut self) -> anyhow::Result<()> {
        if self.text.len() > PIECE {
            output::print([self.text.as_bytes()])?;
            self.text.clear();
        }
        Ok(())
    }
}

/// The violation as it stands in the list.
fn json(
    file: &Path,
    line: Option<usize>,
    violation: &Violation,
) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string_pretty(&Finding {
        file: file.to_string_lossy().into_owned(),
        line,
        rule: violation.rule,
        path: &violation.path,
        found: &violation.found,
    })?;
    // No newline is within a string of JSON.
    Ok(format!("    {}", json.replace('\n', "\n    ")))
}
