//! Two bodies to compare, from two files or from a log.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, anyhow};
use aside_cache_model::{Body, CacheRules};
use aside_inspect::rows::{LogItem, LoggedRequest, rules_for};

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
        let read = |file: &Path| -> Result<Body, Failure> {
            let bytes = input::bytes(file, MAX_BODY_BYTES).map_err(Failure::usage)?;
            let failed = || format!("failed to read {}", file.display());
            let request = Body::parse(&bytes).with_context(failed);
            request.map_err(Failure::usage)
        };
        let names = [before, after].map(|file| file.display().to_string());
        let (before, after) = (read(before)?, read(after)?);
        let rules = rules_for(&after, None);
        Ok(Self {
            names,
            before,
            after,
            rules,
        })
    }

    /// Finds a request in a log, by number or else the last one, that follows
    /// another in its session.
    fn of_log(log: &Path, only: Option<usize>) -> Result<Self, Failure> {
        let logs = Logs {
            paths: vec![log.to_owned()],
            ..Logs::default()
        };
        let mut latest: HashMap<Option<String>, (usize, Body)> = HashMap::new();
        let mut found = None;
        logs.each(&mut |item| {
            let LogItem::Request(logged) = item else {
                return Ok(());
            };
            let LoggedRequest {
                number,
                timed,
                rules,
                ..
            } = *logged;
            let after = timed.request;
            let before = latest.insert(timed.session, (number, after.clone()));
            if let Some((earlier, before)) = before
                && only.is_none_or(|only| only == number)
            {
                found = Some(Self {
                    names: [earlier, number].map(|number| format!("request {number}")),
                    before,
                    after,
                    rules,
                });
            }
            Ok(())
        })?;
        found.ok_or_else(|| {
            let message = match only {
                Some(number) => format!("no request {number} with a body that follows another one"),
                None => "no two requests with bodies in one session".to_owned(),
            };
            Failure::usage(anyhow!("{}: {message}", log.display()))
        })
    }
}
