//! Chooses the conversation that a request continues.
//!
//! Two proofs come first: the id of a call and the text of a response. Without
//! one, hints narrow the candidates and the content decides:
//!
//! ```text
//! equal tools and system prompt     before a candidate that shares one of them
//! neither of them                   no candidate
//! no response in the request        equal tools and system prompt are required (a retry)
//! longest common conversation       then one that is a whole prefix, then the latest
//! ```

use std::collections::HashSet;

use super::proof::{self, Candidate};
use super::{ParentRule, Thread, common_messages, is_same};
use crate::path::Level;
use crate::request::{Placed, RequestBytes, Role};
use crate::timed::Timed;

/// The order of candidates: the greatest is chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The number of equal levels: tools, system prompt.
    levels: usize,
    /// The number of common messages from the start.
    prefix: usize,
    /// Whether the whole candidate is a prefix of the request.
    is_prefix: bool,
    /// The number of common messages after the first one that differs.
    after: usize,
    /// The number of its newest request.
    newest: Option<usize>,
}

/// Returns the index of the conversation that a request continues, with the
/// rule that decided.
pub(super) fn choose(entry: &Timed, threads: &[Thread]) -> Option<(usize, ParentRule)> {
    let all = threads.iter().enumerate();
    let all: Vec<Candidate<'_>> = all
        .map(|(index, thread)| Candidate { index, thread })
        .collect();
    let near = near(entry, &all);
    let request = &entry.request;
    let ids = proof::call_ids(request);
    by_call(request, &ids, &near)
        .or_else(|| proof::by_text(request, &near))
        .or_else(|| proof::by_only_call(&ids, &near))
        .or_else(|| by_content(request, &near))
        .or_else(|| by_session(entry, &near))
        .or_else(|| continued_elsewhere(request, &ids, &all))
}

/// Returns the candidates with the hints of a request: the session that the
/// log states, then the values in the body.
///
/// A hint narrows only if a candidate has it too.
fn near<'a>(entry: &Timed, all: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
    let stated =
        |it: &&Candidate<'_>| entry.session.is_none() || entry.session == it.thread.session;
    let stated: Vec<_> = all.iter().filter(stated).copied().collect();
    let hints = entry.request.hints();
    let agrees = |it: &&Candidate<'_>| {
        let pairs = hints.iter().zip(&it.thread.hints);
        pairs
            .into_iter()
            .all(|(a, b)| a.is_none() || b.is_none() || a == b)
    };
    stated.iter().filter(agrees).copied().collect()
}

/// Chooses by the ids of calls among the candidates with a common message of
/// the user: servers that count their ids repeat them in every conversation.
fn by_call(
    request: &RequestBytes,
    ids: &HashSet<u64>,
    candidates: &[Candidate<'_>],
) -> Option<(usize, ParentRule)> {
    let holders = candidates
        .iter()
        .filter(|it| proof::has_call(ids, it.thread));
    let ranked = holders.filter_map(|it| Some((rank(request, it.thread)?, it.index)));
    let (_, index) = ranked.max()?;
    Some((index, ParentRule::ToolUseId))
}

/// Chooses by the content of the request.
fn by_content(request: &RequestBytes, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    let needed = needed_levels(request);
    let ranked = candidates
        .iter()
        .filter_map(|it| Some((rank(request, it.thread)?, it.index)))
        .filter(|(rank, _)| rank.levels >= needed);
    let (_, index) = ranked.max()?;
    Some((index, ParentRule::CommonPrefix))
}

/// Chooses the latest conversation of the session that the log states, if the
/// request shares a level with it: a compaction replaces every message.
fn by_session(entry: &Timed, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    entry.session.as_ref()?;
    let needed = needed_levels(&entry.request);
    let shared = candidates
        .iter()
        .map(|it| (equal_levels(&entry.request, &it.thread.last), it))
        .filter(|(levels, _)| *levels >= needed);
    let (_, chosen) = shared.max_by_key(|(levels, it)| (*levels, it.thread.newest()))?;
    Some((chosen.index, ParentRule::Session))
}

/// Chooses a conversation in spite of the hints: one that the request contains
/// as a whole, with a response after it. Sessions are resumed under new names,
/// and some clients change their hints in each request.
fn continued_elsewhere(
    request: &RequestBytes,
    ids: &HashSet<u64>,
    all: &[Candidate<'_>],
) -> Option<(usize, ParentRule)> {
    if !request.has_response() {
        return None;
    }
    let ranked = all.iter().filter_map(|it| {
        let rank = rank(request, it.thread).filter(|it| it.is_prefix)?;
        let is_called = proof::has_call(ids, it.thread);
        (is_called || rank.levels == 2).then_some((rank, it.index, is_called))
    });
    let (_, index, is_called) = ranked.max()?;
    let rule = match is_called {
        true => ParentRule::ToolUseId,
        false => ParentRule::CommonPrefix,
    };
    Some((index, rule))
}

/// Returns the number of levels that a candidate must share.
fn needed_levels(request: &RequestBytes) -> usize {
    match request.has_response() {
        true => 1,
        false => 2,
    }
}

/// Ranks a candidate; `None` if it has no message of the user in common with
/// the request.
fn rank(request: &RequestBytes, thread: &Thread) -> Option<Rank> {
    let last = &thread.last;
    let (a, b) = (request.conversation(), last.conversation());
    let prefix = common_messages(request, last);
    // A reminder with a clock changes one message; the later ones still count.
    let changed = (prefix + 1).min(a.len()).min(b.len());
    let rest = a[changed..].iter().zip(&b[changed..]);
    let rest = rest.take_while(|(a, b)| is_same(a, b)).count();
    let mut common = a[..prefix].iter().chain(&a[changed..changed + rest]);
    // Items of wires without roles are the user's.
    let is_user =
        |it: &Placed| it.item.role == Role::User || request.wire() != aside_models::Wire::Messages;
    common.any(is_user).then(|| Rank {
        levels: equal_levels(request, last),
        prefix,
        is_prefix: prefix == b.len(),
        after: rest,
        newest: thread.newest(),
    })
}

/// Returns how many of the levels before the conversation are equal: the tools
/// and the system prompt.
fn equal_levels(a: &RequestBytes, b: &RequestBytes) -> usize {
    let same = |a: &[Placed], b: &[Placed]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
    };
    let leading = |it: &RequestBytes| it.section(Level::Messages)[..it.leading_system()].to_vec();
    let is_same_system =
        same(a.section(Level::System), b.section(Level::System)) && same(&leading(a), &leading(b));
    usize::from(same(a.section(Level::Tools), b.section(Level::Tools)))
        + usize::from(is_same_system)
}
