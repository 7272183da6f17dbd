//! Finds the request that another one continues.
//!
//! A log mixes conversations, and a conversation can fork. The rules are tried
//! from the most certain one: an id in the log, then the ids of tool uses, then
//! text, then a common prefix.

use serde::Serialize;

use crate::hash;
use crate::json;
use crate::path::Level;
use crate::request::{BlockKind, Placed, RequestBytes, Role};
use crate::timed::{ResponseParts, Timed};

/// The rule by which a request was found to continue another one. Earlier
/// variants are tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParentRule {
    /// The log states the id of the request before.
    PreviousId,
    /// The log states the session; the latest request of it.
    Session,
    /// The body has a tool use of an earlier response.
    ToolUseId,
    /// The body has the text of an earlier response.
    AnswerText,
    /// The longest common prefix of messages, with the same tools or the same
    /// system prompt.
    CommonPrefix,
}

/// The request that another one continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parent {
    /// Its index in the log.
    pub index: usize,
    /// The rule that decided.
    pub rule: ParentRule,
}

/// The maximum number of conversations that are kept.
const MAX_THREADS: usize = 256;

/// The maximum number of bytes of bodies that are kept, however many
/// conversations there are. The newest body is always kept.
const MAX_BODY_BYTES: usize = 512 << 20;

/// The cache state that a request left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    /// The hash of the longest prefix that it read or wrote.
    pub(crate) hash: u64,
    pub(crate) tokens: u64,
}

/// The conversations of a log, each with its newest request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads {
    threads: Vec<Thread>,
    count: usize,
}

/// A conversation: its newest body, and the steps that led to it.
#[derive(Clone, Debug)]
struct Thread {
    /// The session that the log states.
    session: Option<String>,
    workspace: Option<String>,
    /// The newest body.
    last: RequestBytes,
    /// The parts of the newest response, if the log has them.
    answer: Option<ResponseParts>,
    /// Every request of the conversation; the last is that of `last`.
    steps: Vec<Step>,
}

/// A request of a conversation, without its body.
#[derive(Clone, Debug)]
struct Step {
    /// The number of the request in the log, from 0.
    index: usize,
    id: Option<String>,
    /// The number of its messages.
    messages: usize,
    left: Option<Left>,
}

/// A request that is continued, as far as it is still known.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) parent: Parent,
    /// Its body; `None` if a later request has taken its place.
    pub(crate) request: Option<RequestBytes>,
    pub(crate) workspace: Option<String>,
    pub(crate) left: Option<Left>,
    thread: usize,
    step: usize,
}

impl Threads {
    /// Returns the body that probably shares most with the next one, before
    /// that is read.
    pub(crate) fn likely(&self, session: Option<&str>) -> Option<&RequestBytes> {
        let of_session = |it: &&Thread| session.is_none() || it.session.as_deref() == session;
        let newest = |it: &&Thread| it.steps.last().map(|it| it.index);
        let thread = self.threads.iter().filter(of_session).max_by_key(newest);
        thread.map(|it| &it.last)
    }

    /// Finds the request that another one continues.
    pub(crate) fn find(&self, entry: &Timed) -> Option<Found> {
        if let Some(previous) = &entry.previous
            && let Some(found) = self.by_id(previous)
        {
            return Some(found);
        }
        let all = self.threads.iter().enumerate();
        let candidates: Vec<(usize, &Thread)> = all
            .filter(|(_, it)| match (&entry.session, &it.session) {
                (Some(this), Some(that)) => this == that,
                _ => entry.session.is_none(),
            })
            .collect();
        let (thread, rule) = self.choose(entry, &candidates)?;
        Some(self.continued(thread, rule, entry))
    }

    fn by_id(&self, id: &str) -> Option<Found> {
        self.threads.iter().enumerate().find_map(|(thread, it)| {
            let is_it = |step: &Step| step.id.as_deref() == Some(id);
            let step = it.steps.iter().rposition(is_it)?;
            Some(self.found(thread, step, ParentRule::PreviousId))
        })
    }

    /// Returns the conversation that a request continues, with the rule. Of
    /// several that fit a rule, the one with the newest request is taken.
    fn choose(
        &self,
        entry: &Timed,
        candidates: &[(usize, &Thread)],
    ) -> Option<(usize, ParentRule)> {
        let newest = |found: &mut dyn Iterator<Item = (usize, &Thread)>| {
            let index = |it: &(usize, &Thread)| it.1.steps.last().map(|it| it.index);
            found.max_by_key(index).map(|(thread, _)| thread)
        };
        let request = &entry.request;
        let is_stated = entry.session.is_some();
        if let [(thread, _)] = candidates
            && is_stated
        {
            return Some((*thread, ParentRule::Session));
        }
        let mut by_id = candidates
            .iter()
            .copied()
            .filter(|it| has_tool_use(request, it.1));
        if let Some(thread) = newest(&mut by_id) {
            return Some((thread, ParentRule::ToolUseId));
        }
        let mut by_text = candidates
            .iter()
            .copied()
            .filter(|it| has_text(request, it.1));
        if let Some(thread) = newest(&mut by_text) {
            return Some((thread, ParentRule::AnswerText));
        }
        let shared = candidates
            .iter()
            .filter(|it| shares_context(request, &it.1.last))
            .map(|it| (common_messages(request, &it.1.last), it))
            .filter(|(_, it)| first_user(request, &it.1.last));
        let best = shared
            .filter(|(messages, _)| *messages > 0)
            .max_by_key(|(messages, it)| (*messages, it.1.steps.last().map(|it| it.index)));
        if let Some((_, (thread, _))) = best {
            return Some((*thread, ParentRule::CommonPrefix));
        }
        let of_session = newest(&mut candidates.iter().copied());
        of_session
            .filter(|_| is_stated)
            .map(|it| (it, ParentRule::Session))
    }

    /// Returns the request of a thread that is continued: its newest, unless
    /// the conversation was continued from an earlier one.
    fn continued(&self, thread: usize, rule: ParentRule, entry: &Timed) -> Found {
        let of = &self.threads[thread];
        let newest = of.steps.len() - 1;
        let common = common_messages(&entry.request, &of.last);
        let last = of.last.section(Level::Messages);
        let new = entry.request.section(Level::Messages);
        let tail = last.get(common..).unwrap_or_default();
        let is_kept = |it: &Placed| new.iter().skip(common).any(|other| is_same(it, other));
        let is_fork = !tail.is_empty() && new.len() <= last.len() && !tail.iter().any(is_kept);
        let fits = |it: &Step| it.messages <= common;
        let step = match of.steps.iter().rposition(fits) {
            Some(step) if is_fork => step,
            _ => newest,
        };
        self.found(thread, step, rule)
    }

    /// Returns a request of a conversation. Its body is only kept if it is the
    /// newest one.
    fn found(&self, thread: usize, step: usize, rule: ParentRule) -> Found {
        let of = &self.threads[thread];
        let is_newest = step + 1 == of.steps.len();
        let it = &of.steps[step];
        Found {
            parent: Parent {
                index: it.index,
                rule,
            },
            request: is_newest.then(|| of.last.clone()),
            workspace: of.workspace.clone(),
            left: it.left,
            thread,
            step,
        }
    }

    /// Adds a request, after the one that it continues; returns its index.
    pub(crate) fn add(
        &mut self,
        entry: &Timed,
        found: Option<&Found>,
        left: Option<Left>,
    ) -> usize {
        let index = self.count;
        self.count += 1;
        let step = Step {
            index,
            id: entry.id.clone(),
            messages: entry.request.message_count(),
            left,
        };
        let is_newest = found.is_some_and(|it| it.request.is_some());
        let mut steps = match found {
            Some(found) if is_newest => std::mem::take(&mut self.threads[found.thread].steps),
            Some(found) => self.threads[found.thread].steps[..=found.step].to_vec(),
            None => Vec::new(),
        };
        steps.push(step);
        let thread = Thread {
            session: entry.session.clone(),
            workspace: entry.workspace.clone(),
            last: entry.request.clone(),
            answer: entry.answer.clone(),
            steps,
        };
        match found {
            Some(found) if is_newest => self.threads[found.thread] = thread,
            _ => self.threads.push(thread),
        }
        self.forget();
        index
    }

    /// Drops the conversations that were used least recently.
    fn forget(&mut self) {
        let newest = |it: &Thread| it.steps.last().map(|it| it.index);
        loop {
            let bytes: usize = self.threads.iter().map(|it| it.last.as_bytes().len()).sum();
            let fits = self.threads.len() <= MAX_THREADS && bytes <= MAX_BODY_BYTES;
            if fits || self.threads.len() == 1 {
                return;
            }
            let all = self.threads.iter().enumerate();
            let Some((oldest, _)) = all.min_by_key(|(_, it)| newest(it)) else {
                return;
            };
            self.threads.swap_remove(oldest);
        }
    }
}

/// Finds the request of a log that another one continues; both by their index.
///
/// The rules are applied in the order of [`ParentRule`]. If several requests
/// match, the latest is returned. Requests after `index` are ignored.
///
/// ```
/// use std::time::Duration;
/// use aside_cache_model::{ParentRule, RequestBytes, Timed, parent};
///
/// let timed = |json: &str, at| {
///     let request = RequestBytes::parse(json.as_bytes())?;
///     Ok::<_, aside_cache_model::ParseError>(Timed::new(request, Duration::from_secs(at)))
/// };
/// let log = [
///     timed(r#"{"model":"m","system":"a","messages":[{"role":"user","content":"Hi"}]}"#, 0)?,
///     timed(r#"{"model":"m","system":"a","messages":[{"role":"user","content":"Hi"},
///         {"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}]}"#, 9)?,
/// ];
/// let found = parent(&log, 1).expect("it continues the first");
/// assert_eq!((found.index, found.rule), (0, ParentRule::CommonPrefix));
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn parent(log: &[Timed], index: usize) -> Option<Parent> {
    let mut threads = Threads::default();
    for entry in log.get(..index)? {
        let found = threads.find(entry);
        threads.add(entry, found.as_ref(), None);
    }
    threads.find(log.get(index)?).map(|it| it.parent)
}

/// Returns true if the same message is in both places, markers aside.
pub(crate) fn is_same(a: &Placed, b: &Placed) -> bool {
    std::sync::Arc::ptr_eq(&a.item, &b.item)
        || (a.item.hash == b.item.hash && a.item.frame == b.item.frame)
}

/// Returns the number of messages that two requests have in common from the
/// start.
pub(crate) fn common_messages(a: &RequestBytes, b: &RequestBytes) -> usize {
    let pairs = a
        .section(Level::Messages)
        .iter()
        .zip(b.section(Level::Messages));
    pairs.take_while(|(a, b)| is_same(a, b)).count()
}

/// Returns true if the common messages hold one of the user.
fn first_user(a: &RequestBytes, b: &RequestBytes) -> bool {
    let common = common_messages(a, b);
    let messages = a.section(Level::Messages).iter().take(common);
    // A list of text is the user's, on wires without roles.
    messages.clone().any(|it| it.item.role == Role::User)
        || (common > 0 && a.wire() != aside_models::Wire::Messages)
}

fn shares_context(a: &RequestBytes, b: &RequestBytes) -> bool {
    let same = |level| {
        let (a, b) = (a.section(level), b.section(level));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
    };
    same(Level::Tools) || same(Level::System)
}

/// Returns true if the request has a tool use of the thread's last response or,
/// if none was recorded, of its last request.
fn has_tool_use(request: &RequestBytes, thread: &Thread) -> bool {
    let ids: Vec<u64> = match &thread.answer {
        Some(answer) => answer
            .tool_use_ids
            .iter()
            .map(|it| hash::of_bytes(it.as_bytes()))
            .collect(),
        None => {
            let mut uses = thread
                .last
                .section(Level::Messages)
                .iter()
                .rev()
                .flat_map(|it| it.item.blocks.iter().rev());
            let last = uses.find(|it| it.kind == BlockKind::ToolUse && it.call_id.is_some());
            last.and_then(|it| it.call_id).into_iter().collect()
        }
    };
    if ids.is_empty() {
        return false;
    }
    let messages = request.section(Level::Messages).iter().rev();
    let mut blocks = messages.flat_map(|it| &it.item.blocks);
    blocks.any(|it| it.call_id.is_some_and(|id| ids.contains(&id)))
}

/// The number of messages around the position of a response that are searched
/// for its text.
const ANSWER_WINDOW: usize = 8;

/// Returns true if the request has the text of the last response near the
/// position that the response must have.
fn has_text(request: &RequestBytes, thread: &Thread) -> bool {
    let Some(text) = thread.answer.as_ref().and_then(|it| it.text.as_deref()) else {
        return false;
    };
    if text.is_empty() {
        return false;
    }
    let messages = request.section(Level::Messages);
    let from = thread
        .last
        .message_count()
        .saturating_sub(ANSWER_WINDOW / 2);
    let near = messages.iter().skip(from).take(ANSWER_WINDOW);
    let bytes = request.as_bytes();
    let near = near.filter(|it| it.item.role == Role::Assistant);
    near.flat_map(|placed| placed.item.blocks.iter().map(move |it| placed.at(&it.span)))
        .any(|span| {
            let value = json::get(bytes, span.start, "text").unwrap_or(span);
            json::string(bytes, &value).is_some_and(|it| it == text)
        })
}
