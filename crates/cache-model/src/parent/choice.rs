//! Chooses the conversation that a request continues.
//!
//! Hints narrow down the candidates, and the content decides: a candidate must
//! share a user message with the request, and equal tools or an equal system
//! prompt. Only if none does, a call's id or a response's text that one
//! candidate has links the two, wherever it is: a client can drop the oldest
//! messages.
//!
//! ```text
//! the request contains the candidate     with equal tools and system prompt, then with a response
//! equal tools and system prompt          before one of them
//! longest common conversation            then the latest
//! no response in the request             a retry: equal tools and system prompt, and one
//!                                        contains the other
//! ```

use std::collections::HashSet;

use super::proof::{self, Candidate};
use super::{ParentRule, Thread, common_messages, is_same};
use crate::timed::Timed;
use aside_body::body::{Body, Placed, Role};

/// How candidates are ordered: the greatest is chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Whether a user message is among the common messages from the start.
    is_from_start: bool,
    /// Whether the request contains the whole candidate, with equal tools and
    /// system prompt.
    is_exact: bool,
    /// Whether the request contains the whole candidate and its response.
    is_answered: bool,
    /// How many levels are equal: tools, system prompt.
    levels: usize,
    /// How many messages are common from the start.
    prefix: usize,
    /// Whether the request contains the whole candidate.
    is_prefix: bool,
    /// Whether the request has an id or the text from the candidate's last
    /// response.
    has_answer: bool,
    /// How many messages are common after the first one that differs.
    after: usize,
    /// The number of its newest request.
    newest: Option<usize>,
}

/// A request, and what is needed to compare it with every candidate.
struct Sought<'a> {
    request: &'a Body,
    /// Its call and result ids.
    ids: HashSet<u64>,
    /// Hashes of its tools and its system prompt.
    head: [u64; 2],
    has_response: bool,
}

/// Returns the index of the conversation that a request continues, among those
/// that are possible, and the rule that decided this.
pub(super) fn choose(
    entry: &Timed,
    threads: &[Thread],
    is_possible: impl Fn(&Thread) -> bool,
) -> Option<(usize, ParentRule)> {
    let all = threads.iter().enumerate().filter(|(_, it)| is_possible(it));
    let all: Vec<Candidate<'_>> = all.map(|(index, thread)| Candidate { index, thread }).collect();
    let near = near(entry, &all);
    let request = &entry.request;
    let sought = Sought {
        request,
        ids: proof::call_ids(request),
        head: request.head(),
        has_response: request.has_response(),
    };
    by_content(&sought, &near)
        .or_else(|| by_call(&sought, &near))
        .or_else(|| proof::by_text(request, &near))
        .or_else(|| proof::by_only_call(&sought.ids, &near))
        .or_else(|| by_window(&sought, &near))
        .or_else(|| entry.session.as_ref().and_then(|_| by_session(&sought, &near)))
        .or_else(|| continued_elsewhere(&sought, &all))
}

/// Returns the candidates that have the request's hints: the session in the
/// log, then values in the body.
///
/// A hint narrows only if a candidate has it too.
fn near<'a>(entry: &Timed, all: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
    let stated =
        |it: &&Candidate<'_>| entry.session.is_none() || entry.session == it.thread.session;
    let stated: Vec<_> = all.iter().filter(stated).copied().collect();
    let hints = entry.request.hints();
    let agrees = |it: &&Candidate<'_>| {
        let pairs = hints.iter().zip(&it.thread.hints);
        pairs.into_iter().all(|(a, b)| a.is_none() || b.is_none() || a == b)
    };
    stated.iter().filter(agrees).copied().collect()
}

/// Chooses by what the request contains.
fn by_content(sought: &Sought<'_>, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    let (request, ids) = (sought.request, &sought.ids);
    let fits = |rank: &Rank| {
        if sought.has_response {
            rank.levels > 0
        } else {
            // A retry, or a message that was added before the response.
            let is_begun = rank.prefix == request.conversation().len();
            rank.levels == 2 && (rank.is_prefix || is_begun)
        }
    };
    let ranked = candidates
        .iter()
        .filter_map(|it| Some((sought.rank(it.thread)?, it)))
        .filter(|(rank, _)| fits(rank));
    let (rank, chosen) = ranked.max_by_key(|(rank, _)| *rank)?;
    let is_other = |it: &&Candidate<'_>| it.index != chosen.index;
    let mut others = candidates.iter().filter(is_other);
    let is_proof = rank.has_answer && !others.any(|it| proof::has_answer(request, ids, it.thread));
    let rule = match is_proof {
        true if proof::has_call(ids, chosen.thread) => ParentRule::ToolUseId,
        true => ParentRule::AnswerText,
        false => ParentRule::CommonPrefix,
    };
    Some((chosen.index, rule))
}

/// Chooses by call ids among the candidates that share a user message, although
/// tools and system prompt changed.
fn by_call(sought: &Sought<'_>, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    let ranked = candidates.iter().filter_map(|it| Some((sought.rank(it.thread)?, it)));
    let holders = ranked.filter(|(_, it)| proof::has_earlier_call(&sought.ids, it.thread));
    let (_, index) = holders.map(|(rank, it)| (rank, it.index)).max()?;
    Some((index, ParentRule::ToolUseId))
}

/// Chooses the only candidate that the request continues without its oldest
/// messages, or with others before them. In the first case, it has the candidate's last response and
/// what follows it, further ahead, in the second all of its messages; new ones follow.
/// Examples that many requests share do not end that way.
fn by_window(sought: &Sought<'_>, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    let messages = sought.request.conversation();
    let is_moved = |it: &&Candidate<'_>| {
        let last = it.thread.last.conversation();
        let Some(answer) = last.iter().rposition(|it| it.item.role == Role::Assistant) else {
            return false;
        };
        // Only the first message of the end is a response, so few windows are compared for long.
        let end = &last[answer..];
        let mut windows = messages.windows(end.len()).enumerate();
        let are_same = |(a, b): (&Placed, &Placed)| is_same(a, b);
        sought.equal_levels(it.thread) == 2
            && windows.any(|(start, window)| {
                start != answer
                    && start + end.len() < messages.len()
                    && window.iter().zip(end).all(are_same)
                    && (start < answer || messages[start - answer..].iter().zip(last).all(are_same))
            })
    };
    let index = proof::only(candidates.iter().filter(is_moved))?;
    Some((index, ParentRule::AnswerText))
}

/// Chooses the session's latest conversation, if the log states a session and
/// the request shares a level with it: a compaction can replace every message.
///
/// Without a response this is a subagent's first request, unless one of the two
/// has the other's blocks and more, or the session's first conversation was
/// compacted.
fn by_session(sought: &Sought<'_>, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    let request = sought.request;
    let begun = candidates.iter().map(|it| it.thread.begun()).min()?;
    let shared =
        candidates.iter().map(|it| (sought.equal_levels(it.thread), it)).filter(|(levels, it)| {
            if sought.has_response {
                *levels > 0
            } else {
                let is_first = it.thread.begun() == begun;
                let is_compacted = is_first && is_compaction(request, it.thread);
                *levels == 2 && (is_compacted || is_extended(request, &it.thread.last))
            }
        });
    let (_, chosen) = shared.max_by_key(|(levels, it)| (*levels, it.thread.newest()))?;
    Some((chosen.index, ParentRule::Session))
}

/// Chooses a conversation in spite of the hints: one that the request contains
/// as a whole. Sessions are resumed under new names, and some clients change their hints in each
/// request, or with the tools: a level may differ if a response follows the conversation, and both
/// if it is the recorded one.
fn continued_elsewhere(sought: &Sought<'_>, all: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    if !sought.has_response {
        return None;
    }
    let ranked = all.iter().filter_map(|it| {
        let rank = sought.rank(it.thread).filter(|it| it.is_prefix)?;
        let is_called = proof::has_earlier_call(&sought.ids, it.thread);
        let next = sought.request.conversation().get(rank.prefix);
        // Another answer than the recorded one is of another conversation.
        let is_open = rank.levels > 0 && it.thread.answer.is_none();
        let is_continued =
            next.is_some_and(|it| it.item.is_from_model()) && (is_open || rank.has_answer);
        let fits = is_called || is_continued || rank.levels == 2;
        fits.then_some((rank, it.index, is_called))
    });
    let (rank, index, is_called) = ranked.max()?;
    let rule = match rank.levels {
        _ if is_called => ParentRule::ToolUseId,
        0 => ParentRule::AnswerText,
        _ => ParentRule::CommonPrefix,
    };
    Some((index, rule))
}

impl Sought<'_> {
    /// Ranks a candidate; `None` if it shares no user message with the request.
    fn rank(&self, thread: &Thread) -> Option<Rank> {
        let (request, last) = (self.request, &thread.last);
        let (a, b) = (request.conversation(), last.conversation());
        let prefix = common_messages(request, last);
        // A reminder with a clock changes one message; the later ones still
        // count.
        let changed = (prefix + 1).min(a.len()).min(b.len());
        let rest = a[changed..].iter().zip(&b[changed..]);
        let rest = rest.take_while(|(a, b)| is_same(a, b)).count();
        // On wires without roles, items are the user's.
        let is_user = |it: &Placed| {
            it.item.role == Role::User || request.wire() != aside_models::Wire::Messages
        };
        let is_from_start = a[..prefix].iter().any(is_user);
        if !is_from_start && !a[changed..changed + rest].iter().any(is_user) {
            return None;
        }
        let is_prefix = prefix == b.len();
        let has_answer = proof::has_answer(request, &self.ids, thread);
        let levels = self.equal_levels(thread);
        Some(Rank {
            is_from_start,
            is_exact: is_prefix && levels == 2,
            is_answered: is_prefix && (has_answer || last.has_response()),
            levels,
            prefix,
            is_prefix,
            has_answer,
            after: rest,
            newest: thread.newest(),
        })
    }

    /// Returns how many levels before the conversation are equal: tools and
    /// system prompt.
    fn equal_levels(&self, thread: &Thread) -> usize {
        let last = thread.steps.last().map(|it| it.head);
        let pairs = last.iter().flatten().zip(&self.head);
        pairs.filter(|(a, b)| a == b).count()
    }
}

/// Returns true if the request may be a conversation's summary.
fn is_compaction(request: &Body, thread: &Thread) -> bool {
    let messages = thread.last.conversation().len();
    thread.steps.len() > 1 && request.conversation().len() < messages
}

/// Returns true if one conversation's blocks begin with the other's.
fn is_extended(a: &Body, b: &Body) -> bool {
    let blocks = |it: &Body| -> Vec<u64> {
        let messages = it.conversation().iter();
        messages.flat_map(|it| it.item.blocks.iter().map(|it| it.hash)).collect()
    };
    let (a, b) = (blocks(a), blocks(b));
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    common > 0 && common == a.len().min(b.len())
}
