//! Pairing tool calls with results: each call has one result, where the API looks for it.
//!
//! [`Pairing`] is a fold. Walk over a conversation in any form (typed messages, entries, a wire's
//! body) and report what you pass; the pairing returns what is wrong. Where a wire looks for a
//! result is a [`Window`]:
//!
//! | wire | window | turn |
//! |---|---|---|
//! | Messages | [`Window::NextTurn`], results first | messages of one role in a row |
//! | Chat Completions | [`Window::NextTurn`] | a message; the tool messages in a row are one |
//! | Gemini | [`Window::NextTurn`] | a content |
//! | Responses | [`Window::Later`] | the whole input |

mod fault;

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;

pub use crate::body::Role;
pub use fault::Fault;

/// Where a result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// In the user turn directly after the model turn that has the call.
    NextTurn,
    /// Anywhere after the call.
    Later,
}

/// What it means when calls in one turn share a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// They are one call, because the key is an id.
    Same,
    /// Each has its own result, because the key is a tool name, or because some servers give an id
    /// twice. A result belongs to the oldest open call in the latest turn that has one: earlier
    /// calls may have been interrupted.
    Distinct,
}

/// Pairs calls with results while you walk over a conversation.
///
/// `K` is the key that a call and its result share; `P` is any position you like, which you get
/// back with the call. Time and memory grow linearly with the number of calls.
///
/// ```
/// use aside_body::turns::{Fault, Pairing, Repeats, Role, Window};
///
/// let mut pairing = Pairing::new(Window::NextTurn, Repeats::Same);
/// pairing.turn(Role::Assistant);
/// pairing.call("toolu_1", "messages[1].content[0]");
/// pairing.call("toolu_2", "messages[1].content[1]");
/// pairing.turn(Role::User);
/// assert_eq!(pairing.result(&"toolu_2"), Ok("messages[1].content[1]"));
/// assert_eq!(pairing.result(&"toolu_3"), Err(Fault::OrphanedResult));
/// assert_eq!(pairing.close(), ["messages[1].content[0]"]);
/// ```
#[derive(Clone, Debug)]
pub struct Pairing<K, P> {
    window: Window,
    repeats: Repeats,
    /// How many turns have begun.
    turn: usize,
    role: Role,
    /// Whether this turn has a block that is no result.
    has_other: bool,
    keys: HashMap<K, Seen>,
    /// The calls that a result can still answer, in order.
    calls: Vec<Call<K, P>>,
    /// How many calls came before these: a link below this leads nowhere.
    closed: usize,
}

/// The calls with one key, as links into the list of calls.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The call that the next result answers.
    head: usize,
    tail: usize,
    is_answered: bool,
}

#[derive(Clone, Debug)]
struct Call<K, P> {
    key: K,
    at: P,
    turn: usize,
    executor: Executor,
    is_open: bool,
    /// The next call with this key in this turn.
    next: Option<usize>,
    /// The earlier turn's call that comes next once this turn's are answered.
    older: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Executor {
    Client,
    Server,
}

impl<K: Clone + Eq + Hash, P: Clone> Pairing<K, P> {
    /// Starts a conversation, before its first turn.
    ///
    /// With [`Window::Later`], turns only matter for [`Repeats::Distinct`].
    #[must_use]
    pub fn new(window: Window, repeats: Repeats) -> Self {
        Self {
            window,
            repeats,
            turn: 0,
            role: Role::Other,
            has_other: false,
            keys: HashMap::new(),
            calls: Vec::new(),
            closed: 0,
        }
    }

    /// Begins a turn. Returns, in order, the calls that can no longer get a result.
    ///
    /// Call this once for messages that the API joins into one.
    pub fn turn(&mut self, role: Role) -> Vec<P> {
        let is_answer = role == Role::User && self.role == Role::Assistant;
        let unanswered = match self.window {
            Window::NextTurn if !is_answer => self.close(),
            _ => Vec::new(),
        };
        self.turn += 1;
        self.role = role;
        self.has_other = false;
        unanswered
    }

    /// Returns the calls still without a result, in order, and closes them. When the conversation
    /// ends, these are the unanswered ones.
    pub fn close(&mut self) -> Vec<P> {
        self.closed += self.calls.len();
        let is_unanswered = |it: &Call<K, P>| it.is_open && it.executor == Executor::Client;
        let calls = self.calls.drain(..).filter(is_unanswered);
        calls.map(|it| it.at).collect()
    }

    /// Returns true if a call has this key.
    pub fn has_call(&self, key: &K) -> bool {
        self.keys.contains_key(key)
    }

    /// Passes a tool call. A doubled call waits for a result too, unless it repeats one in its own
    /// turn ([`Repeats::Same`]); a misplaced call does not.
    pub fn call(&mut self, key: K, at: P) -> Option<Fault> {
        if self.window == Window::NextTurn && self.role != Role::Assistant {
            return Some(Fault::MisplacedCall);
        }
        self.open(key, at, Executor::Client)
    }

    /// Passes a call that the API runs itself. Its result is in the same turn, or the turn is
    /// paused.
    pub fn server_call(&mut self, key: K, at: P) -> Option<Fault> {
        self.open(key, at, Executor::Server)
    }

    /// Passes a call's result, and returns where the call was.
    ///
    /// # Errors
    /// The result answers no call, is not the call's first, or follows another block
    /// ([`Pairing::other`]). In the last case the call is answered.
    pub fn result(&mut self, key: &K) -> Result<P, Fault> {
        if self.window == Window::NextTurn && self.role != Role::User {
            return Err(Fault::OrphanedResult);
        }
        let call = self.answer(key, Executor::Client)?;
        if self.has_other && self.window == Window::NextTurn {
            Err(Fault::ResultAfterOther)
        } else {
            Ok(call)
        }
    }

    /// Passes the result of a call that the API ran, and returns where the call was.
    ///
    /// # Errors
    /// The call is not in this turn, or already has a result.
    pub fn server_result(&mut self, key: &K) -> Result<P, Fault> {
        self.answer(key, Executor::Server)
    }

    /// Passes any other block, such as text. If this is the first one in a user turn, returns the
    /// first call in the turn before that the API has not finished: until it has, users may send
    /// only results.
    pub fn other(&mut self) -> Option<P> {
        if mem::replace(&mut self.has_other, true) || self.role != Role::User {
            return None;
        }
        let is_pending = |it: &&Call<K, P>| it.executor == Executor::Server && it.is_open;
        let pending = self.calls.iter().find(is_pending);
        pending.map(|it| it.at.clone())
    }

    /// Returns a pairing for what may follow, without earlier keys: its size does not depend on how
    /// long the conversation is. If you must not repeat earlier keys, ask both for
    /// [`Pairing::has_call`].
    #[must_use]
    pub fn continuation(&self) -> Self {
        let seen = |it: &Call<K, P>| Some((it.key.clone(), *self.keys.get(&it.key)?));
        Self {
            keys: self.calls.iter().filter_map(seen).collect(),
            calls: self.calls.clone(),
            ..*self
        }
    }

    /// Appends a [`Pairing::continuation`] that has gone further.
    pub fn append(&mut self, continuation: Self) {
        let mut keys = mem::take(&mut self.keys);
        keys.extend(continuation.keys);
        *self = Self { keys, ..continuation };
    }

    fn open(&mut self, key: K, at: P, executor: Executor) -> Option<Fault> {
        let seen = self.keys.get(&key).copied();
        let is_of_this_turn = |it: &Call<K, P>| it.turn == self.turn;
        let is_repeated = seen.is_some_and(|it| self.linked(it.tail).is_some_and(is_of_this_turn));
        if is_repeated && self.repeats == Repeats::Same {
            return Some(Fault::DoubledCall);
        }
        let index = self.closed + self.calls.len();
        let waiting = seen.filter(|it| self.linked(it.head).is_some_and(|it| it.is_open));
        let mut call = Call {
            key: key.clone(),
            at,
            turn: self.turn,
            executor,
            is_open: true,
            next: None,
            older: waiting.map(|it| it.head),
        };
        let mut new =
            Seen { head: index, tail: index, is_answered: seen.is_some_and(|it| it.is_answered) };
        // The first open call is in this turn, so it is answered before the new one.
        if let Some(seen) = waiting
            && self.linked(seen.head).is_some_and(is_of_this_turn)
        {
            let latest = &mut self.calls[seen.tail - self.closed];
            call.older = latest.older;
            latest.next = Some(index);
            new.head = seen.head;
        }
        self.calls.push(call);
        self.keys.insert(key, new);
        seen.map(|_| Fault::DoubledCall)
    }

    /// Returns the call that a link points to, unless it is closed.
    fn linked(&self, link: usize) -> Option<&Call<K, P>> {
        self.calls.get(link.checked_sub(self.closed)?)
    }

    fn answer(&mut self, key: &K, executor: Executor) -> Result<P, Fault> {
        let seen = self.keys.get_mut(key).ok_or(Fault::OrphanedResult)?;
        let call = seen.head.checked_sub(self.closed);
        let call = call.and_then(|it| self.calls.get_mut(it));
        if call.as_ref().is_some_and(|it| it.executor != executor) {
            return Err(Fault::OrphanedResult);
        }
        let is_second = mem::replace(&mut seen.is_answered, true);
        let Some(call) = call else {
            return Err(if is_second { Fault::OrphanedDouble } else { Fault::OrphanedResult });
        };
        if !mem::replace(&mut call.is_open, false) {
            return Err(Fault::DoubledResult);
        }
        if let Some(next) = call.next.or(call.older) {
            seen.head = next;
        }
        if is_second && self.repeats == Repeats::Same {
            Err(Fault::DoubledResult)
        } else {
            Ok(call.at.clone())
        }
    }
}

#[cfg(test)]
mod tests;
