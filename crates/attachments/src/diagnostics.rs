use std::fmt::Write as _;

use aside_messages::conversation::EntryDraft;
use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use crate::cut;
use crate::draft::reminder;
use crate::left_out::left_out;
use crate::tag::wrapped;

/// The most characters of all diagnostics together.
pub const DIAGNOSTICS_CHARACTERS: usize = 4_000;

/// What language servers found since the last time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnostics {
    /// The files that have diagnostics.
    pub files: Vec<FileDiagnostics>,
}

/// What was found in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDiagnostics {
    /// The file.
    pub path: String,
    /// What was found, in the order in which it is to be listed.
    pub diagnostics: Vec<LineDiagnostic>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineDiagnostic {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// How bad it is.
    pub severity: DiagnosticSeverity,
    /// What is wrong.
    pub message: String,
    /// Who found it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its code there, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub(crate) fn entry(self, kind: &str) -> Option<EntryDraft> {
        let total: usize = self.files.iter().map(|file| file.diagnostics.len()).sum();
        if total == 0 {
            return None;
        }
        let mut text = String::new();
        let mut room = DIAGNOSTICS_CHARACTERS;
        let mut shown = 0;
        'files: for file in &self.files {
            for (index, diagnostic) in file.diagnostics.iter().enumerate() {
                let mut piece = diagnostic.text();
                if index == 0 {
                    piece = format!("\n{}:{piece}", one_line(&file.path));
                }
                let length = piece.chars().count();
                if length > room && shown == 0 {
                    // Something is shown in any case.
                    text.push_str(cut::at_chars(&piece, room).unwrap_or(&piece));
                    text.push('…');
                    shown = 1;
                }
                if length > room {
                    break 'files;
                }
                text.push_str(&piece);
                room -= length;
                shown += 1;
            }
        }
        if shown < total {
            let more = left_out(total - shown, "diagnostic", "diagnostics");
            // Writing to a string cannot fail.
            let _ = write!(text, "\n[… {more}]");
        }
        let text = format!("\nFound since the last time:{text}\n");
        Some(reminder(kind, wrapped("new-diagnostics", &[], &text)))
    }
}

impl LineDiagnostic {
    fn text(&self) -> String {
        let Self { line, column, .. } = self;
        let sign = self.severity.sign();
        let mut text = format!("\n  {sign} {line}:{column} {}", folded(&self.message));
        let [source, code] = [&self.source, &self.code].map(|it| it.as_deref().map(folded));
        let said_by = match (source, code) {
            (Some(source), Some(code)) => format!(" [{source} {code}]"),
            (Some(one), None) | (None, Some(one)) => format!(" [{one}]"),
            (None, None) => String::new(),
        };
        text.push_str(&said_by);
        text
    }
}

impl DiagnosticSeverity {
    /// The sign before a finding.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Error => '✘',
            Self::Warning => '⚠',
            Self::Info => 'ℹ',
            Self::Hint => '★',
        }
    }
}
