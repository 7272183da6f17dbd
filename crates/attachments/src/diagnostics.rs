//! Diagnostics from language servers.
//!
//! ```text
//! <new-diagnostics>
//! New since the last report:
//! src/main.rs:
//!   ✘ 3:9 cannot find value `x` [rustc E0425]
//! </new-diagnostics>
//! ```

use std::fmt::Write as _;

use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use crate::tag::wrapped;
use crate::truncate::{first_chars, left_out};

/// How many characters all diagnostics in an attachment may have.
const MAX_CHARS: usize = 4_000;

/// New diagnostics from language servers, up to 4,000 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Diagnostics {
    /// The files with diagnostics.
    pub files: Vec<FileDiagnostics>,
}

/// The diagnostics for one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileDiagnostics {
    /// The file's path.
    pub path: String,
    /// The diagnostics, in the order to list them.
    pub diagnostics: Vec<LineDiagnostic>,
}

/// A diagnostic on a line in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LineDiagnostic {
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
    /// Its severity.
    pub severity: DiagnosticSeverity,
    /// Its message.
    pub message: String,
    /// The tool that reports it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// That tool's code for it, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How serious a diagnostic is, with its sign on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticSeverity {
    /// `✘`
    Error,
    /// `⚠`
    Warning,
    /// `ℹ`
    Info,
    /// `★`
    Hint,
}

impl Diagnostics {
    /// Returns no entry if no file has a diagnostic. Files and diagnostics keep
    /// their order; a last line counts those that do not fit.
    pub(crate) fn into_draft(self) -> Option<String> {
        let total: usize = self.files.iter().map(|file| file.diagnostics.len()).sum();
        if total == 0 {
            return None;
        }
        let mut text = String::new();
        let mut room = MAX_CHARS;
        let mut shown = 0;
        'files: for file in &self.files {
            for (index, diagnostic) in file.diagnostics.iter().enumerate() {
                let mut line = diagnostic.text();
                if index == 0 {
                    line = format!("\n{}:{line}", one_line(&file.path));
                }
                let length = line.chars().count();
                if length > room && shown == 0 {
                    // The first diagnostic is always shown.
                    text.push_str(first_chars(&line, room).unwrap_or(&line));
                    text.push('…');
                    shown = 1;
                }
                if length > room {
                    break 'files;
                }
                text.push_str(&line);
                room -= length;
                shown += 1;
            }
        }
        if shown < total {
            let more = left_out(total - shown, "diagnostic", "diagnostics");
            // Writing to a string cannot fail.
            let _ = write!(text, "\n[… {more}]");
        }
        let text = format!("\nNew since the last report:{text}\n");
        Some(wrapped("new-diagnostics", &[], &text))
    }
}

impl LineDiagnostic {
    /// Begins with a line feed.
    fn text(&self) -> String {
        let Self { line, column, .. } = self;
        let sign = self.severity.sign();
        let mut text = format!("\n  {sign} {line}:{column} {}", folded(&self.message));
        let [source, code] = [&self.source, &self.code].map(|it| it.as_deref().map(folded));
        let reported_by = match (source, code) {
            (Some(source), Some(code)) => format!(" [{source} {code}]"),
            (Some(one), None) | (None, Some(one)) => format!(" [{one}]"),
            (None, None) => String::new(),
        };
        text.push_str(&reported_by);
        text
    }
}

impl DiagnosticSeverity {
    fn sign(self) -> char {
        match self {
            Self::Error => '✘',
            Self::Warning => '⚠',
            Self::Info => 'ℹ',
            Self::Hint => '★',
        }
    }
}
