use aside_frontmatter::ErrorKind;

use crate::Severity;
use crate::rule::RuleHeader;

/// What a file contributes.
#[derive(Debug)]
pub(crate) struct Contents {
    /// The `paths` of its front matter.
    pub(crate) globs: Vec<String>,
    /// What the model is told: without front matter and comments, trimmed.
    pub(crate) text: String,
    pub(crate) faults: Vec<Fault>,
}

/// Something wrong with a file that is loaded nevertheless.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) severity: Severity,
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

impl Contents {
    pub(crate) fn of(file: &str) -> Self {
        let mut faults = Vec::new();
        let mut fault = |severity, error: &aside_frontmatter::Error| {
            faults.push(Fault {
                severity,
                line: Some(error.line()),
                message: error.message().to_owned(),
            });
        };
        let plain = file.strip_prefix('\u{feff}').unwrap_or(file);
        let (globs, body) = match aside_frontmatter::split(file) {
            Ok(document) => match document.data::<RuleHeader>() {
                Ok(header) => (header.unwrap_or_default().paths.0, document.body()),
                // Prose between two thematic breaks.
                Err(error) if error.kind() == ErrorKind::NotAMapping => {
                    fault(Severity::Note, &error);
                    (Vec::new(), plain)
                }
                Err(error) => {
                    fault(Severity::Warning, &error);
                    (Vec::new(), document.body())
                }
            },
            // It may as well begin with a thematic break.
            Err(error) => {
                fault(Severity::Note, &error);
                (Vec::new(), plain)
            }
        };
        Self {
            globs,
            text: body.trim().to_owned(),
            faults,
        }
    }
}
