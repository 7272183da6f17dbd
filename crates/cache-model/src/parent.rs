//! Finds the request that another one continues.
//!
//! A log mixes conversations, and a conversation can fork. If the log or the
//! body has the previous request's id, that decides. Otherwise the content
//! does, within the conversations that a signature proves, and call ids and
//! response texts link what was rewritten. The session in the log, a cache key
//! and a user are hints: they narrow down the candidates.

mod choice;
mod proof;

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;

use crate::timed::{ResponseParts, Timed};
use aside_body::body::{Body, Hints, Placed};

/// Why a request counts as continuing another, strongest evidence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParentRule {
    /// The log or the body gives the previous request's id.
    PreviousId,
    /// The body has a call from an earlier response.
    ToolUseId,
    /// The body has an earlier response's text, which no other response has.
    AnswerText,
    /// The longest common conversation, with the same tools or the same system
    /// prompt.
    CommonPrefix,
    /// No message in common, but the same session in the log, and the same
    /// tools or the same system prompt.
    Session,
}

/// The request that another one continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parent {
    /// Its index in the log, as [`Timed::index`] has it.
    pub index: usize,
    /// The rule that decided this.
    pub rule: ParentRule,
}

/// How many conversations to keep.
const MAX_THREADS: usize = 256;

/// How many bytes of bodies to keep, however many conversations there are. The
/// newest body is always kept.
const MAX_BODY_BYTES: usize = 512 << 20;

/// What a request left in the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    /// The hash of the longest prefix that it read or wrote.
    pub(crate) hash: u64,
    pub(crate) tokens: u64,
    /// When it read or wrote it.
    pub(crate) at: Duration,
}

/// A log's conversations, each with its newest request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads {
    threads: Vec<Thread>,
    count: usize,
}

/// A conversation: its newest body, and the steps that led there.
#[derive(Clone, Debug)]
struct Thread {
    /// The session, as the log states it.
    session: Option<String>,
    /// Values in the newest body that requests in one conversation share.
    hints: Hints,
    workspace: Option<String>,
    /// The newest body.
    last: Body,
    /// What identifies the newest response, if the log has it.
    answer: Option<ResponseParts>,
    /// Every request in the conversation; the last belongs to `last`.
    steps: Vec<Step>,
}

impl Thread {
    /// Returns how many requests were sent before the first.
    fn begun(&self) -> Option<usize> {
        self.steps.first().map(|it| it.order)
    }

    /// Returns the newest step with an id.
    fn step_of(&self, id: &str) -> Option<usize> {
        self.steps.iter().rposition(|it| it.id.as_deref() == Some(id))
    }

    /// Returns how many messages of the newest body a request has, with one that got more blocks:
    /// `common` are equal.
    fn shared(&self, entry: &Timed, common: usize) -> usize {
        let (last, new) = (self.last.conversation(), entry.request.conversation());
        let pair = last.get(common).zip(new.get(common));
        common + usize::from(pair.is_some_and(|(old, new)| begins_with(new, old)))
    }

    /// Returns how many requests were sent before the newest.
    fn newest(&self) -> Option<usize> {
        self.steps.last().map(|it| it.order)
    }
}

/// A request in a conversation, without its body.
#[derive(Clone, Debug)]
struct Step {
    /// Its index in the log.
    index: usize,
    /// How many requests were sent before it.
    order: usize,
    id: Option<String>,
    /// How many messages it has after the system prompt.
    messages: usize,
    /// Hashes of its tools and its system prompt.
    head: [u64; 2],
    left: Option<Left>,
}

/// A request that is continued, as far as it is still known.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) parent: Parent,
    /// Its body, without its later messages if a later request has taken its
    /// place; `None` if that one has other tools or another system prompt.
    pub(crate) request: Option<Body>,
    /// Hashes of its tools and its system prompt.
    pub(crate) head: [u64; 2],
    /// True if it is its conversation's newest request.
    is_newest: bool,
    pub(crate) workspace: Option<String>,
    pub(crate) left: Option<Left>,
    thread: usize,
    step: usize,
}

/// How many of the newest threads to compare with a body before it is read.
const MAX_COMPARED: usize = 16;

impl Threads {
    /// Returns the body that probably shares most with the next one, before
    /// that is read: the session's newest one, or the one that begins most like
    /// it.
    pub(crate) fn likely(&self, bytes: &[u8], session: Option<&str>) -> Option<&Body> {
        let of_session = |it: &&Thread| session.is_none() || it.session.as_deref() == session;
        let mut threads: Vec<_> = self.threads.iter().filter(of_session).collect();
        threads.sort_unstable_by_key(|it| it.newest());
        let newest = &threads[threads.len().saturating_sub(MAX_COMPARED)..];
        let index = Body::closest(bytes, newest.iter().map(|it| &it.last))?;
        newest.get(index).map(|it| &it.last)
    }

    /// Finds the request that another one continues.
    pub(crate) fn find(&self, entry: &Timed) -> Option<Found> {
        let stated = entry.previous.clone();
        let previous = stated.or_else(|| entry.request.previous_response());
        if let Some(found) = previous.and_then(|it| self.by_id(&it)) {
            return Some(found);
        }
        let proven = entry.follows.as_deref().and_then(|id| Some((id, self.by_id(id)?)));
        let Some((id, proven)) = proven else {
            let (thread, rule) = choice::choose(entry, &self.threads, |_| true)?;
            return Some(self.continued(thread, rule, entry));
        };
        let has_step = |it: &Thread| it.step_of(id).is_some();
        let chosen = choice::choose(entry, &self.threads, has_step);
        let chosen = chosen.map(|(thread, rule)| self.continued(thread, rule, entry));
        // A fork's steps begin with those of the conversation that it left.
        let is_later = |it: &Found| {
            let thread = &self.threads[it.thread];
            let common = common_messages(&entry.request, &thread.last);
            thread.step_of(id).is_some_and(|first| it.step > first)
                && thread.steps[it.step].messages <= thread.shared(entry, common)
        };
        Some(chosen.filter(is_later).unwrap_or(proven))
    }

    fn by_id(&self, id: &str) -> Option<Found> {
        self.threads.iter().enumerate().find_map(|(thread, it)| {
            let step = it.step_of(id)?;
            Some(self.found(thread, step, ParentRule::PreviousId))
        })
    }

    /// Returns the request in a thread that is continued: the newest, unless
    /// the conversation was continued from an earlier one.
    fn continued(&self, thread: usize, rule: ParentRule, entry: &Timed) -> Found {
        let of = &self.threads[thread];
        let newest = of.steps.len() - 1;
        let common = common_messages(&entry.request, &of.last);
        let (last, new) = (of.last.conversation(), entry.request.conversation());
        let tail = last.get(common..).unwrap_or_default();
        let kept: HashSet<_> = new.iter().skip(common).map(key).collect();
        let is_fork = !tail.is_empty()
            && new.len() <= last.len()
            && !tail.iter().any(|it| kept.contains(&key(it)));
        let shared = of.shared(entry, common);
        let fits = |it: &Step| it.messages <= shared;
        let step = match of.steps.iter().rposition(fits) {
            Some(step) if is_fork => step,
            _ => newest,
        };
        self.found(thread, step, rule)
    }

    /// Returns a request in a conversation. Only the newest body is kept:
    /// earlier ones are part of it.
    fn found(&self, thread: usize, step: usize, rule: ParentRule) -> Found {
        let of = &self.threads[thread];
        let is_newest = step + 1 == of.steps.len();
        let it = &of.steps[step];
        Found {
            parent: Parent { index: it.index, rule },
            request: match is_newest {
                true => Some(of.last.clone()),
                false if it.head == of.last.head() => Some(of.last.with_first(it.messages)),
                false => None,
            },
            head: it.head,
            is_newest,
            workspace: of.workspace.clone(),
            left: it.left,
            thread,
            step,
        }
    }

    /// Adds a request after the one that it continues; returns its index in the log.
    pub(crate) fn add(
        &mut self,
        entry: &Timed,
        found: Option<&Found>,
        left: Option<Left>,
    ) -> usize {
        let order = self.count;
        self.count += 1;
        let index = entry.index.unwrap_or(order);
        let step = Step {
            index,
            order,
            id: entry.id.clone(),
            messages: entry.request.conversation().len(),
            head: entry.request.head(),
            left,
        };
        // A prompt that is sent again gets a response of its own.
        let is_again = |it: &&Found| {
            let last = &self.threads[it.thread].last;
            let common = common_messages(last, &entry.request);
            it.step == 0
                && it.parent.rule != ParentRule::PreviousId
                && common == step.messages
                && common == last.conversation().len()
        };
        // Its runs share one copy of the bytes.
        let last = found.map(|it| &self.threads[it.thread].last);
        let last = last.filter(|it| it.as_bytes() == entry.request.as_bytes());
        let last = last.unwrap_or(&entry.request).clone();
        let found = found.filter(|it| !is_again(it));
        // A session that is resumed under another name leaves the first one as
        // it is.
        let is_newest = found
            .is_some_and(|it| it.is_newest && self.threads[it.thread].session == entry.session);
        let mut steps = match found {
            Some(found) if is_newest => std::mem::take(&mut self.threads[found.thread].steps),
            Some(found) => self.threads[found.thread].steps[..=found.step].to_vec(),
            None => Vec::new(),
        };
        steps.push(step);
        let thread = Thread {
            session: entry.session.clone(),
            hints: entry.request.hints(),
            workspace: entry.workspace.clone(),
            last,
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

    /// Drops the least recently used conversations.
    fn forget(&mut self) {
        loop {
            let bytes: usize = self.threads.iter().map(|it| it.last.as_bytes().len()).sum();
            let fits = self.threads.len() <= MAX_THREADS && bytes <= MAX_BODY_BYTES;
            if fits || self.threads.len() == 1 {
                return;
            }
            let all = self.threads.iter().enumerate();
            let Some((oldest, _)) = all.min_by_key(|(_, it)| it.newest()) else {
                return;
            };
            self.threads.swap_remove(oldest);
        }
    }
}

/// Finds which request in a log another one continues; both by their index in `log`.
///
/// If several requests match alike, the latest is returned. Requests after
/// `index` are ignored.
///
/// ```
/// use std::time::Duration;
/// use aside_cache_model::{ParentRule, Body, Timed, parent};
///
/// let timed = |json: &str, at| {
///     let request = Body::parse(json.as_bytes())?;
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
    let found = threads.find(log.get(index)?)?;
    let step = &threads.threads[found.thread].steps[found.step];
    Some(Parent { index: step.order, ..found.parent })
}

/// Returns true if the same message is in both places, markers aside.
pub(crate) fn is_same(a: &Placed, b: &Placed) -> bool {
    std::sync::Arc::ptr_eq(&a.item, &b.item) || key(a) == key(b)
}

/// Returns what is equal for the same message.
fn key(it: &Placed) -> (u64, u64) {
    (it.item.hash, it.item.frame)
}

/// Returns true if a message is an earlier one, or that one with more blocks at its end.
pub(crate) fn begins_with(message: &Placed, earlier: &Placed) -> bool {
    let [blocks, begun] = [message, earlier].map(|it| it.item.blocks.iter().map(|it| it.hash));
    message.item.frame == earlier.item.frame
        && begun.len() <= blocks.len()
        && begun.zip(blocks).all(|(a, b)| a == b)
}

/// Returns how many messages two conversations share from the start, after
/// their system prompts.
pub(crate) fn common_messages(a: &Body, b: &Body) -> usize {
    let pairs = a.conversation().iter().zip(b.conversation());
    pairs.take_while(|(a, b)| is_same(a, b)).count()
}
