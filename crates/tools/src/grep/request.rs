use std::path::Path;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::Deserialize;

use crate::ignored::IgnoredFiles;
use crate::pattern::Pattern;
use crate::refusal::Refusal;

/// The longest regular expression, in bytes.
const LONGEST: usize = 10_000;
/// What a compiled expression may take, in bytes.
const COMPILED: usize = 16 * 1024 * 1024;
/// The longest line, or the longest file where matches span lines, in bytes.
const HEAP: usize = 16 * 1024 * 1024;
/// The most lines around a match.
const CONTEXT: usize = 100;
/// How much is shown at most where no limit is given.
const SHOWN: usize = 250;
/// The highest limit.
const MOST: usize = 10_000;

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

/// What is shown of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Output {
    /// The file that it is in.
    #[default]
    Files,
    /// Its lines.
    Lines,
    /// How many there are in the file.
    Count,
}

/// What to search for, and what to show.
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
    pub(super) fn of(input: &Input, base: &Path) -> Result<Self, Refusal> {
        if input.pattern.len() > LONGEST {
            return Err(Refusal::new("pattern", "longer than 10,000 bytes"));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .case_insensitive(input.ignore_case)
            .dot_matches_new_line(input.multiline)
            .size_limit(COMPILED)
            .dfa_size_limit(COMPILED);
        if !input.multiline {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder
            .build(&input.pattern)
            .map_err(|error| Refusal::new("pattern", error))?;
        let glob = input.glob.as_deref();
        let lines = |one: Option<usize>| one.or(input.context).unwrap_or(0).min(CONTEXT);
        Ok(Self {
            matcher,
            output: input.output,
            limit: input.limit.unwrap_or(SHOWN).clamp(1, MOST),
            glob: glob.map(|glob| Pattern::parse(glob, base)).transpose()?,
            multiline: input.multiline,
            before: lines(input.before),
            after: lines(input.after),
        })
    }

    /// Whether a file, seen from the directory that is searched, is meant.
    pub(super) fn covers(&self, below: &Path) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.matches(below))
    }

    pub(super) fn searcher(&self) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .multi_line(self.multiline)
            .heap_limit(Some(HEAP));
        if self.output == Output::Lines {
            builder
                .before_context(self.before)
                .after_context(self.after);
        }
        builder.build()
    }
}
