//! The passes in order. Nothing else calls a pass.
//!
//! Lowering is incremental, so the order is cut where work is kept: entries are
//! selected and expanded one by one, runs are repaired when they are closed or
//! sent, and the last passes depend on the whole request.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::closed_history::{ClosedHistory, RepairedRuns};
use super::options::LowerOptions;
use super::passes::{
    self, Start, after_boundary, append_ephemeral, drop_blank, drop_display_only, drop_snipped,
    expand, fill_empty, hoist_tool_results, limit_media, media_of_runs, merge_adjacent,
    place_system, repair_pairs, sanitize_errors, smoosh_reminders, strip_thinking, tag_ids,
};
use super::run::Run;
use super::settings::Settings;
use super::tail::EphemeralReminder;
use crate::conversation::{Entry, EntryId};
use crate::encode::Encoded;
use crate::repair::Repair;
use crate::wire::Role;

/// Selects the entries that a request sends.
///
/// Runs the passes `after_boundary`, `drop_display_only` and `drop_snipped`.
pub(super) fn select_entries<'a>(
    entries: &'a [Entry],
    snipped: &HashSet<EntryId>,
) -> impl Iterator<Item = &'a Entry> {
    let entries = after_boundary(entries);
    let entries = drop_display_only(entries);
    drop_snipped(entries, snipped)
}

/// Turns one entry into a run, if it is sent by itself.
///
/// Runs the passes `expand` and `drop_blank`. The run may be without blocks.
pub(super) fn expand_entry(
    entry: &Entry,
    options: &LowerOptions,
    diagnostics: &mut Vec<Repair>,
) -> Option<Run> {
    let mut run = expand(entry, options, diagnostics)?;
    drop_blank(&mut run);
    Some(run)
}

/// Joins runs of entries into runs of messages.
///
/// Runs the passes `merge_adjacent` and `place_system`.
pub(super) fn join_runs(runs: impl IntoIterator<Item = Run>) -> Vec<Run> {
    place_system(merge_adjacent(runs))
}

/// Gives whole messages the form that the API accepts, except for how many
/// images and documents they have.
///
/// Runs the passes `repair_pairs` to `fill_empty`. `before` describes the
/// messages before these runs.
pub(super) fn repair_runs(
    runs: Vec<Run>,
    before: &ClosedHistory,
    settings: Settings<'_>,
    diagnostics: &mut Vec<Repair>,
) -> RepairedRuns {
    let options = settings.options;
    let mut calls = before.calls.continuation();
    let mut runs = repair_pairs(runs, &before.calls, &mut calls, diagnostics);
    for run in &mut runs {
        hoist_tool_results(run);
        // Before smooshing, because it decides whether the last result still
        // holds a `tool_reference`.
        sanitize_errors(run, diagnostics);
        if options.smoosh_reminders {
            smoosh_reminders(run);
        }
        strip_thinking(run, settings, diagnostics);
    }
    let start = if before.has_messages { Start::Earlier } else { Start::Here };
    fill_empty(&mut runs, start);
    RepairedRuns { media: media_of_runs(&runs), runs, calls }
}

/// Replaces media over the limit, and tags ids. Of all images and documents in
/// the conversation, the first `replaced` are replaced.
///
/// Runs the passes `limit_media` and `tag_ids`.
pub(super) fn limit_runs(
    runs: &mut [Run],
    before: &ClosedHistory,
    replaced: usize,
    options: &LowerOptions,
) {
    let mut budget = replaced.saturating_sub(before.media.len());
    for run in runs {
        limit_media(run, &mut budget);
        if options.tag_ids {
            tag_ids(run);
        }
    }
}

/// Leaves out system messages that no request can place yet.
pub(super) fn drop_waiting_group(runs: &mut Vec<Run>) {
    passes::drop_waiting_group(runs);
}

/// Gives the messages that are not closed the form for one request. Ephemeral
/// reminders are appended to the last user message. A paused response takes
/// none, and is part of a longer message in the next request; system messages
/// may be after another user message there.
pub(super) fn append_tail(
    messages: &VecDeque<(Run, Arc<Encoded>)>,
    reminders: &[EphemeralReminder],
    options: &LowerOptions,
) -> Vec<Arc<Encoded>> {
    let mut tail: Vec<_> = messages.iter().map(|(_, message)| message.clone()).collect();
    for ((run, _), message) in messages.iter().zip(&mut tail).rev() {
        if run.role == Role::User {
            if !reminders.is_empty() {
                let is_apart = !options.smoosh_reminders;
                *message = Arc::new(append_ephemeral(run, message, reminders, is_apart));
            }
            break;
        }
        *message = Arc::new(message.volatile());
    }
    tail
}
