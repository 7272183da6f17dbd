//! Two bodies to compare, from two files or from a log.

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_cache_model::{Body, CacheRules, Miss};
use aside_inspect::rows::{Caches, LogItem, rules_for};

use crate::Failure;
use crate::arguments::Diff;
use crate::input::{self, MAX_BODY_BYTES};
use crate::logs::Logs;

/// Two bodies, and the later one's cache rules.
pub(super) struct Pair {
    /// Names to use in messages.
    pub(super) names: [String; 2],
    pub(super) before: Body,
    pub(super) after: Body,
    pub(super) rules: CacheRules,
    /// The later one's miss, by the requests before it; `None` if these are not known.
    pub(super) miss: Option<Option<Miss>>,
}

impl Pair {
    /// Reads both files, or the log.
    ///
    /// # Errors
    /// When a file is no body, or a log has no such pair, this is a usage
    /// error.
    pub(super) fn read(arguments: &Diff) -> Result<Self, Failure> {
        let mut pair = match &arguments.after {
            Some(after) => Self::of_files(&arguments.before, after)?,
            None => Self::of_log(&arguments.before, arguments.only)?,
        };
        if let Some(rules) = &arguments.rules {
            pair.rules = rules.clone();
        }
        Ok(pair)
    }

    fn of_files(before: &Path, after: &Path) -> Result<Self, Failure> {
        let read = |file: &Path, earlier: Option<&Body>| -> Result<Body, Failure> {
            let bytes = input::bytes(file, MAX_BODY_BYTES).map_err(Failure::usage)?;
            let failed = || format!("failed to read {}", file.display());
            let request = Body::parse_after(bytes.into(), earlier).with_context(failed);
            request.map_err(Failure::usage)
        };
        let names = [before, after].map(|file| file.display().to_string());
        let before = read(before, None)?;
        let after = read(after, Some(&before))?;
        let rules = rules_for(&after, None);
        Ok(Self { names, before, after, rules, miss: None })
    }

    /// Finds a request in a log, by its number or else the last, and the one that it continues.
    fn of_log(log: &Path, only: Option<usize>) -> Result<Self, Failure> {
        let logs = Logs { paths: vec![log.to_owned()], ..Logs::default() };
        let mut caches = Caches::default();
        let (mut last, mut found) = (None, None);
        logs.each(&mut |item| {
            let LogItem::Request(logged) = item else {
                return Ok(());
            };
            let (number, rules, timed) = (logged.number, logged.rules, logged.timed);
            let model = caches.get(&rules);
            let verdict = model.replay(&timed);
            if only.is_none_or(|only| only == number) {
                last = Some(number);
                let parent = verdict.parent.zip(model.continued());
                found = parent.map(|(parent, before)| Self {
                    names: [parent.index + 1, number].map(|it| format!("request {it}")),
                    before: before.clone(),
                    after: timed.request,
                    rules,
                    miss: Some(verdict.miss),
                });
            }
            Ok(())
        })?;
        found.ok_or_else(|| {
            let message = match last {
                Some(number) => {
                    format!("request {number} continues no other one: --only N compares another")
                }
                None => "no such request with a body".to_owned(),
            };
            Failure::usage(anyhow!("{}: {message}", log.display()))
        })
    }
}
