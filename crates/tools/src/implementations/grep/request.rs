//! `Grep`'s input, validated. Every size that a model or a file determines has
//! a limit: the pattern, its compiled form, the context and the memory for a
//! line.

use std::path::Path;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::Deserialize;

use crate::implementations::ignored::IgnoredFiles;
use crate::implementations::pattern::Pattern;
use crate::refusal::Refusal;

const MAX_PATTERN_BYTES: usize = 10_000;
/// For the compiled expression.
const MAX_COMPILED_BYTES: usize = 16 * 1024 * 1024;
/// For a line, or for a file if matches span lines.
const MAX_HEAP_BYTES: usize = 16 * 1024 * 1024;
const MAX_CONTEXT_LINES: usize = 100;
/// How many lines or paths to show if the call does not say.
const DEFAULT_LIMIT: usize = 250;
/// How many a call may ask for.
const MAX_LIMIT: usize = 10_000;

/// The input as the model writes it, before its values are validated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pattern: String,
    pub(super) path: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    output: Output,
    context: Option<usize>,
    before: Option<usize>,
    after: Option<usize>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    multiline: bool,
    limit: Option<usize>,
    #[serde(default)]
    pub(super) ignored: IgnoredFiles,
}

/// What a result shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Output {
    /// The paths of matching files.
    #[default]
    Files,
    /// The matching lines.
    Lines,
    /// How many matches each file has.
    Count,
}

/// A validated call.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) matcher: RegexMatcher,
    pub(super) output: Output,
    /// How many lines or paths to show.
    pub(super) limit: usize,
    glob: Option<Pattern>,
    multiline: bool,
    before: usize,
    after: usize,
}

impl Request {
    /// Validates a call. A `limit` or context outside its range is moved to the
    /// next value in range; a pattern that does not compile is a fault.
    pub(super) fn of(input: &Input, base: &Path) -> Result<Self, Refusal> {
        if input.pattern.len() > MAX_PATTERN_BYTES {
            return Err(Refusal::new("pattern", "longer than 10,000 bytes"));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            // `$` matches before `\r\n`, unless the pattern looks for the `\r`.
            .crlf(!input.pattern.contains(r"\r"))
            .line_terminator((!input.multiline).then_some(b'\n'))
            .case_insensitive(input.ignore_case)
            .dot_matches_new_line(input.multiline)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES);
        let matcher =
            builder.build(&input.pattern).map_err(|error| Refusal::new("pattern", error))?;
        let glob = input.glob.as_deref();
        let lines = |one: Option<usize>| one.or(input.context).unwrap_or(0).min(MAX_CONTEXT_LINES);
        Ok(Self {
            matcher,
            output: input.output,
            limit: input.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT),
            glob: glob.map(|glob| Pattern::parse(glob, base)).transpose()?,
            multiline: input.multiline,
            before: lines(input.before),
            after: lines(input.after),
        })
    }

    /// Returns true if the call covers a file; its path is relative to the
    /// directory being searched.
    pub(super) fn covers(&self, below: &Path) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.matches(below))
    }

    /// Only the output of lines needs context.
    pub(super) fn searcher(&self) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .multi_line(self.multiline)
            .heap_limit(Some(MAX_HEAP_BYTES));
        if self.output == Output::Lines {
            builder.before_context(self.before).after_context(self.after);
        }
        builder.build()
    }
}
