use std::collections::HashSet;
use std::sync::Arc;

use super::block::Run;
use super::fill_empty::Start;
use super::repair_pairs::Calls;
use super::{
    LowerOptions, count_media, fill_empty, hoist_tool_results, limit_media, repair_pairs,
    sanitize_errors, smoosh_reminders, strip_trailing_thinking, tag_ids,
};
use crate::diagnostic::Diagnostic;

/// What the passes over whole messages have to know of the messages before.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The ids of tool calls.
    calls: HashSet<Arc<str>>,
    /// The calls of the last message.
    unanswered: Vec<Arc<str>>,
    /// Images and documents.
    media: usize,
    has_messages: bool,
}

/// Messages in their final form, but for the images that are too many.
#[derive(Debug)]
pub(super) struct Finished {
    runs: Vec<Run>,
    calls: HashSet<Arc<str>>,
    unanswered: Vec<Arc<str>>,
    media: usize,
}

impl Before {
    /// The passes over whole messages, but for the last ones.
    pub(super) fn finish(
        &self,
        runs: Vec<Run>,
        options: &LowerOptions,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Finished {
        let mut calls = Calls {
            earlier: &self.calls,
            found: HashSet::new(),
            unanswered: self.unanswered.clone(),
        };
        let mut runs = repair_pairs(runs, &mut calls, diagnostics);
        for run in &mut runs {
            hoist_tool_results(run);
            // First, because it decides whether the last result still holds a
            // `tool_reference`.
            sanitize_errors(run, diagnostics);
            if options.smoosh_reminders {
                smoosh_reminders(run);
            }
            strip_trailing_thinking(run, diagnostics);
        }
        let start = if self.has_messages {
            Start::Earlier
        } else {
            Start::Here
        };
        fill_empty(&mut runs, start);
        Finished {
            media: count_media(&runs),
            runs,
            calls: calls.found,
            unanswered: calls.unanswered,
        }
    }

    /// How many images and documents there are with these messages.
    pub(super) fn media_with(&self, finished: &Finished) -> usize {
        self.media + finished.media
    }

    /// The last passes. Of all images and documents of the conversation the
    /// first `replaced` are replaced.
    pub(super) fn complete(
        &self,
        finished: &mut Finished,
        replaced: usize,
        options: &LowerOptions,
    ) -> Vec<Run> {
        let mut budget = replaced.saturating_sub(self.media);
        let mut runs = std::mem::take(&mut finished.runs);
        for run in &mut runs {
            limit_media(run, &mut budget);
            if options.tag_ids {
                tag_ids(run);
            }
        }
        runs
    }

    /// These messages are now before what comes.
    pub(super) fn extend(&mut self, finished: Finished) {
        self.calls.extend(finished.calls);
        self.unanswered = finished.unanswered;
        self.media += finished.media;
        self.has_messages = true;
    }
}
