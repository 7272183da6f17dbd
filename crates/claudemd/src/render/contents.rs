//! From a file's text to the text for the model: front matter and comments are
//! removed, imports are found, faults are collected. No IO happens here.
//!
//! ```text
//! ---
//! paths: src/**        globs       ["src/**"], so it waits for a path
//! ---
//! <!-- for people -->  removed, so the text differs from the file
//! See @docs/a.md       text        "See @docs/a.md"
//!                      imports     docs/a.md, line 5
//! ```

use std::sync::Arc;

use aside_diagnostic::Kind;
use aside_user_files::{DocumentError, DocumentErrorKind, SplitDocument};

use crate::discover::profile::{Facts, Header, HeaderStart, ImportForm};
use crate::kinds;
use crate::links::imports::{self, Import};
use crate::links::{claude_imports, gemini_imports};
use crate::render::fault::Fault;
use crate::render::markdown::{Markdown, TooDeep};
use crate::rules::activation::Activation;
use crate::rules::header::{Paths, RuleHeader};
use crate::rules::header_keys::HeaderKeys;
use crate::rules::other_header;

/// What an instruction file has after processing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// The `paths` in its front matter.
    pub(crate) globs: Vec<String>,
    /// The front matter that has them, with its first line's number.
    patterns: Option<(Box<str>, usize)>,
    /// When to load it, if it is a rule.
    pub(crate) activation: Activation,
    /// The text for the model: without front matter and comments, trimmed.
    pub(crate) text: Arc<str>,
    /// True if something was removed.
    ///
    /// White space at the ends and a byte order mark do not count.
    pub(crate) differs: bool,
    /// Imports in text order, with their lines in the file.
    pub(crate) imports: Vec<Import>,
    /// Faults in front matter and comments. The file is loaded all the same.
    pub(crate) faults: Vec<Fault>,
    /// Unknown front matter keys, and entries that are no patterns. They matter only in rules.
    pub(crate) rule_faults: Vec<Fault>,
}

impl Contents {
    /// Applies Claude Code's rules: front matter and comment blocks are
    /// removed, imports are found.
    pub(crate) fn of(file: &str, facts: &Facts) -> Self {
        let plain = file.strip_prefix('\u{feff}').unwrap_or(file);
        let mut contents = Self::default();
        let is_blank = |line: &str| line.trim().is_empty();
        let is_below = plain.lines().next().is_some_and(is_blank);
        let (body, first_line) = match facts.header_start {
            HeaderStart::FirstLine if is_below => (plain, 1),
            _ => contents.take_header(file, plain),
        };
        contents.take_body(body, first_line, facts.imports);
        contents.differs = *contents.text != *plain.trim();
        if facts.globs.is_for_every_path(&contents.globs) {
            contents.globs.clear();
        }
        if !contents.globs.is_empty() {
            contents.activation = Activation::Paths;
        }
        contents
    }

    /// Returns the contents for an agent that removes only front matter, if that.
    ///
    /// Comments stay in the text. Front matter with an error is a fault, and the rule then always
    /// applies.
    pub(crate) fn whole(file: &str, header: Header, imports: ImportForm) -> Self {
        let plain = file.strip_prefix('\u{feff}').unwrap_or(file);
        let mut contents = Self::default();
        let document = (header != Header::None).then(|| aside_user_files::split(file));
        let body = match document {
            Some(Ok(document)) => {
                match other_header::read(&document, header) {
                    Ok((activation, paths, key)) => {
                        contents.activation = activation;
                        contents.take_paths(&document, paths, key);
                    }
                    Err(error) => {
                        contents.fault(kinds::BAD_HEADER, error.line(), error.message());
                    }
                }
                if header.is_sent() { plain } else { document.body() }
            }
            Some(Err(error)) => {
                contents.unclosed(plain, &error);
                plain
            }
            None => plain,
        };
        contents.text = body.trim().into();
        contents.differs = *contents.text != *plain.trim();
        if imports == ImportForm::Gemini {
            contents.imports = gemini_imports::scan(body);
        }
        contents
    }

    /// Reads the front matter, and returns the rest of the text with its first
    /// line's number.
    ///
    /// A text between two thematic breaks that is not a mapping is prose: it
    /// stays, and a fault reports it. Front matter that is a mapping with an
    /// error is removed.
    fn take_header<'a>(&mut self, file: &'a str, plain: &'a str) -> (&'a str, usize) {
        let document = match aside_user_files::split(file) {
            Ok(document) => document,
            Err(error) => {
                self.unclosed(plain, &error);
                return (plain, 1);
            }
        };
        if let (Some(header), Ok(Some(keys))) = (document.header(), document.data::<HeaderKeys>()) {
            self.rule_faults = keys.faults(header, first_line(&document, header));
        }
        match Paths::read(&document, |it: &RuleHeader| &it.paths) {
            Ok(header) => self.take_paths(&document, header.unwrap_or_default().paths, "paths"),
            // Prose between two thematic breaks.
            Err(error) if error.kind() == DocumentErrorKind::NotAMapping => {
                self.fault(kinds::NOT_A_HEADER, error.line(), error.message());
                return (plain, 1);
            }
            Err(error) => self.fault(kinds::BAD_HEADER, error.line(), error.message()),
        }
        (document.body(), document.body_line())
    }

    /// Sets the patterns, and keeps the text to find the line of one.
    fn take_paths(&mut self, document: &SplitDocument<'_>, paths: Paths, key: &str) {
        if let Some(header) = document.header() {
            let first_line = first_line(document, header);
            self.rule_faults.extend(paths.faults(key, header, first_line));
            self.patterns = (!paths.patterns.is_empty()).then(|| (header.into(), first_line));
        }
        self.globs = paths.patterns;
    }

    /// Returns a pattern's line in the file; `None` if YAML spells it in another way.
    pub(crate) fn line_of(&self, glob: &str) -> Option<usize> {
        let (header, first_line) = self.patterns.as_ref()?;
        Some(first_line + header.lines().position(|it| it.contains(glob))?)
    }

    /// Reports an opening line without a closing one. It may be a thematic break,
    /// unless a key follows it.
    fn unclosed(&mut self, plain: &str, error: &DocumentError) {
        let next = plain.lines().nth(error.line()).unwrap_or_default();
        let is_name = |key: &str| key.chars().all(|it| it.is_alphanumeric() || "_-".contains(it));
        let has_key = next.split_once(':').is_some_and(|(key, _)| !key.is_empty() && is_name(key));
        let kind = if has_key { kinds::UNCLOSED_HEADER } else { kinds::NOT_A_HEADER };
        self.fault(kind, error.line(), error.message());
    }

    /// Removes comments, and finds imports in the rest.
    fn take_body(&mut self, body: &str, first_line: usize, imports: ImportForm) {
        let line_at = |at: usize| first_line + body[..at].matches('\n').count();
        match Markdown::of(body) {
            Ok(parts) => {
                self.text = parts.without_comments(body).trim().into();
                self.imports = match imports {
                    ImportForm::Claude => claude_imports::scan(body),
                    _ => imports::scan(body, &parts),
                };
                for import in &mut self.imports {
                    import.line += first_line - 1;
                }
                if let Some(at) = parts.unclosed_comment {
                    let message = "comment is never closed, and was left in";
                    self.fault(kinds::UNCLOSED_COMMENT, line_at(at), message);
                }
            }
            Err(TooDeep { line }) => {
                self.text = body.trim().into();
                let message = "quotes or lists are nested too deep to look for imports";
                self.fault(kinds::TOO_NESTED, first_line + line - 1, message);
            }
        }
    }

    /// Records a fault; `line` counts from the start of the file, from 1.
    fn fault(&mut self, kind: Kind, line: usize, message: &str) {
        self.faults.push(Fault { kind, line, message: message.to_owned() });
    }
}

/// Returns the number of the first line between the delimiters.
fn first_line(document: &SplitDocument<'_>, header: &str) -> usize {
    document.body_line() - 1 - header.lines().count()
}
