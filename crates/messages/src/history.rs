//! History repair: a whole history of messages, in the order that the API
//! accepts.
//!
//! | fault | repair |
//! |---|---|
//! | a result after another block, or after a later message | moved directly behind its call |
//! | a call without a result, though the conversation continues | an error result is added |
//! | a result that no call waits for, or a second one | left out |
//! | a call with the id of an earlier call | gets an id of its own, and so does its result |
//! | a call that is not the model's | left out |
//! | the result of a server tool without a call before it, or such a call again | left out |
//! | a call of a server tool without a result, before text of the user | left out |
//! | blank text | left out |
//! | a message without content | gets a short text, since it may separate two turns |
//!
//! [`repair_history`] is for messages of the API. An import of another wire
//! feeds its items to a [`History`], with the keys and positions of that wire.
//!
//! A session never moves what it sent, so [`lower`](crate::lower) repairs by
//! leaving out and adding only, with the same pairing.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::mem;
use std::sync::Arc;

use aside_body::turns::{self, Pairing, Repeats, Window};

use crate::call_id;
pub use crate::lower::NO_CONTENT;
use crate::lower::missing_result;
use crate::wire::{ContentBlock, Message, Other, ResultContent, Role, ToolResult, ToolUse};

/// A repair of a history, as a fragment that follows the path of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryRepair {
    /// A result was not directly behind its call.
    MovedResult,
    /// A result without a call that waits for it.
    OrphanedResult,
    /// A call without a result.
    UnansweredCall,
    /// A call with the id of an earlier one.
    RepeatedId {
        /// The id of the call and its result from now on, before
        /// [`call_id::convert`].
        id: String,
    },
    /// A call in a message of another role than the model's.
    MisplacedCall,
    /// The call or the result of a server tool without the other.
    ServerPair,
    /// A text of white space only.
    BlankText,
    /// A message without content.
    EmptyMessage,
}

/// A builder of messages that pairs calls with results.
///
/// `K` is the key that a call and its result share, such as the id of the call;
/// `P` is a position in the original, which comes back with a repair. Linear
/// time and memory.
///
/// ```
/// use aside_messages::history::{History, HistoryRepair};
/// use aside_messages::wire::{ContentBlock, Role};
///
/// let mut history = History::<&str, _>::new();
/// history.add(Role::User, [ContentBlock::text("Hi"), ContentBlock::text(" ")], &"input[0]");
/// let (messages, repairs, _) = history.finish();
/// assert_eq!(messages[0].content.len(), 1);
/// assert_eq!(repairs, [("input[0]", HistoryRepair::BlankText)]);
/// ```
#[derive(Debug)]
pub struct History<K, P> {
    /// Neighbors of one role are one turn, except for system messages. One that
    /// only sets the effort belongs to the turn before it: the API takes it
    /// anywhere.
    messages: Vec<Placed<P>>,
    turn: usize,
    turn_role: Option<Role>,
    /// The latest turn of the model.
    response: usize,
    /// True after a block of the turn that is no result.
    has_other: bool,
    pairing: Pairing<K, Call<P>>,
    /// The results that have to move, by the turn of their calls.
    moved: HashMap<usize, Vec<(ContentBlock, P)>>,
    ids: HashSet<String>,
    /// The last number that was tried for an id that repeats.
    times: HashMap<String, usize>,
    server: Pairing<String, ()>,
    /// The calls of server tools in the latest turn of the model.
    server_calls: Vec<(String, P)>,
    /// Those that were left out.
    pending: HashSet<String>,
    repairs: Vec<(P, HistoryRepair)>,
}

/// The original position of each message, with those of its blocks.
pub type Positions<P> = Vec<(P, Vec<P>)>;

/// A message, whose blocks are beside it with their positions.
#[derive(Debug)]
struct Placed<P> {
    turn: usize,
    message: Message,
    at: P,
    blocks: Vec<(ContentBlock, P)>,
}

#[derive(Clone, Debug)]
struct Call<P> {
    turn: usize,
    id: Arc<str>,
    at: P,
}

/// Repairs the messages of a request, and returns the repairs with the path of
/// each block. Messages without a fault are not touched.
///
/// Calls of the last message stay without a result: the caller owes it.
///
/// ```
/// use aside_messages::history::repair_history;
/// use aside_messages::wire::Request;
///
/// let body = br#"{"model":"claude-opus-5-5","max_tokens":9,"messages":[
///     {"role":"user","content":"List the files."},
///     {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},
///     {"role":"user","content":"Wait."},
///     {"role":"assistant","content":"Yes?"},
///     {"role":"user","content":[{"type":"text","text":"Done?"},
///         {"type":"tool_result","tool_use_id":"a","content":"b.txt"}]}]}"#;
/// let mut messages = Request::parse(body)?.value.messages;
/// let repairs = repair_history(&mut messages);
/// assert_eq!(repairs[0].0, "messages[4].content[1]");
/// assert_eq!(repairs[0].1.to_string(), "moved directly behind its call");
/// assert_eq!(messages[2].content.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn repair_history(messages: &mut Vec<Message>) -> Vec<(String, HistoryRepair)> {
    repair_with_positions(messages).0
}

/// Like [`repair_history`], and also returns the paths that the messages and
/// their blocks had.
pub fn repair_with_positions(
    messages: &mut Vec<Message>,
) -> (Vec<(String, HistoryRepair)>, Positions<String>) {
    let mut history = History::new();
    for (index, message) in messages.iter().enumerate() {
        let mut shell = message.clone();
        let content = mem::take(&mut shell.content);
        let role = shell.role.clone();
        history.begin(shell, (index, None));
        for (block, content) in content.into_iter().enumerate() {
            let at = (index, Some(block));
            match content {
                ContentBlock::ToolUse(call) => {
                    let original = call.id.clone();
                    history.call(original.clone(), &original, &role, call, at);
                }
                ContentBlock::ToolResult(result) => {
                    let key = result.tool_use_id.clone();
                    history.result(&key, result, at);
                }
                other => history.push(other, &at),
            }
        }
    }
    let (repaired, repairs, positions) = history.finish();
    if !repairs.is_empty() {
        *messages = repaired;
    }
    let path = |(message, block): (usize, Option<usize>)| match block {
        Some(block) => format!("messages[{message}].content[{block}]"),
        None => format!("messages[{message}]"),
    };
    let repairs = repairs.into_iter().map(|(at, repair)| (path(at), repair));
    let positions = positions.into_iter();
    let positions =
        positions.map(|(at, blocks)| (path(at), blocks.into_iter().map(path).collect()));
    (repairs.collect(), positions.collect())
}

impl<K: Clone + Eq + Hash, P: Clone> History<K, P> {
    /// Creates a history without messages.
    #[must_use]
    pub fn new() -> Self {
        Self {
            messages: Vec::new(),
            turn: 0,
            turn_role: None,
            response: 0,
            has_other: false,
            pairing: Pairing::new(Window::Later, Repeats::Distinct),
            moved: HashMap::new(),
            ids: HashSet::new(),
            times: HashMap::new(),
            server: Pairing::new(Window::NextTurn, Repeats::Same),
            server_calls: Vec::new(),
            pending: HashSet::new(),
            repairs: Vec::new(),
        }
    }

    /// Returns true if the history has no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns the number of calls so far.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.ids.len()
    }

    /// Begins a message. Its content, if any, is not inspected.
    pub fn begin(&mut self, mut message: Message, at: P) {
        let last = self.messages.last().map(|it| &it.message);
        if last.is_some_and(|it| !(it.role == Role::System && it.output_config.is_some())) {
            self.fill_last();
        }
        let blocks = mem::take(&mut message.content).into_iter();
        let blocks: Vec<_> = blocks.map(|block| (block, at.clone())).collect();
        let begins_turn = match message.role {
            // Else its first block does.
            Role::System => !blocks.is_empty(),
            _ => self.turn_role.as_ref() != Some(&message.role),
        };
        if begins_turn {
            self.begin_turn(&message.role);
        }
        self.messages.push(Placed { turn: self.turn, message, at, blocks });
    }

    /// Adds blocks to the message of a role, which begins if another one is
    /// last. Without blocks, nothing is added.
    pub fn add(&mut self, role: Role, blocks: impl IntoIterator<Item = ContentBlock>, at: &P) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_none() {
            return;
        }
        self.open(role, at);
        for block in blocks {
            self.push(block, at);
        }
    }

    /// Begins a message of a role, unless one is last.
    fn open(&mut self, role: Role, at: &P) {
        let last = self.messages.last().map(|it| &it.message.role);
        if last != Some(&role) || role == Role::System {
            self.begin(Message::new(role, Vec::new()), at.clone());
        }
    }

    /// Adds a call of the model.
    ///
    /// The id of `call` is used the first time. Later calls with the same
    /// `original` id get `original_2`, `original_3` and so on, in the form of
    /// [`call_id::convert`]: some servers count the calls of each response from
    /// 0, and the API wants different ids.
    pub fn call(&mut self, key: K, original: &str, role: &Role, mut call: ToolUse, at: P) {
        if *role != Role::Assistant {
            self.repairs.push((at, HistoryRepair::MisplacedCall));
            return;
        }
        if let Some(id) = self.unused(original, &call.id) {
            call.id = call_id::convert(&id).into();
            self.repairs.push((at.clone(), HistoryRepair::RepeatedId { id }));
        }
        let id = call.id.clone();
        self.add(Role::Assistant, [ContentBlock::ToolUse(call)], &at);
        let turn = self.turn;
        self.pairing.call(key, Call { turn, id, at });
    }

    /// Adds the result of a call: directly behind the call, before anything
    /// else of the user. Its id becomes that of the call.
    ///
    /// Of several calls that wait under the key, it belongs to the oldest one
    /// in the latest turn that has one: calls before it may have been
    /// interrupted.
    ///
    /// Returns true if the call is in the latest turn of the model.
    pub fn result(&mut self, key: &K, mut result: ToolResult, at: P) -> bool {
        let Ok(call) = self.pairing.result(key) else {
            self.repairs.push((at, HistoryRepair::OrphanedResult));
            return false;
        };
        result.tool_use_id = call.id;
        if let ResultContent::Blocks(blocks) = &mut result.content
            && blocks.iter().any(ContentBlock::is_blank)
        {
            blocks.retain(|block| !block.is_blank());
            self.repairs.push((at.clone(), HistoryRepair::BlankText));
        }
        if self.turn == call.turn {
            // What follows comes after the results.
            self.begin(Message::new(Role::User, Vec::new()), at.clone());
        }
        let block = ContentBlock::ToolResult(result);
        let is_answer = self.turn == call.turn + 1 && self.turn_role == Some(Role::User);
        if is_answer && !self.has_other {
            self.open(Role::User, &at);
            self.append(block, at);
        } else {
            self.repairs.push((at.clone(), HistoryRepair::MovedResult));
            self.moved.entry(call.turn).or_default().push((block, at));
        }
        call.turn == self.response
    }

    /// Returns the messages with their results, the repairs in the order of the
    /// history, and the positions of the messages.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Message>, Vec<(P, HistoryRepair)>, Positions<P>) {
        // The API takes an empty response at the end.
        if self.messages.last().is_some_and(|it| it.message.role == Role::User) {
            self.fill_last();
        }
        let mut missing: HashMap<_, Vec<_>> = HashMap::new();
        for call in self.pairing.close() {
            if call.turn == self.turn {
                continue;
            }
            let results = missing.entry(call.turn).or_default();
            results.push((missing_result(call.id), call.at.clone()));
            self.repairs.push((call.at, HistoryRepair::UnansweredCall));
        }
        let mut messages: Vec<Message> = Vec::with_capacity(self.messages.len());
        let mut positions = Vec::with_capacity(self.messages.len());
        let mut close = |mut message: Message, at: P, blocks: Vec<(ContentBlock, P)>| {
            let (content, places) = blocks.into_iter().unzip();
            message.content = content;
            messages.push(message);
            positions.push((at, places));
        };
        for Placed { turn, message, at, mut blocks } in self.messages {
            let added = |from: &mut HashMap<usize, Vec<_>>| {
                turn.checked_sub(1).and_then(|it| from.remove(&it)).unwrap_or_default()
            };
            let (mut results, moved) = (added(&mut missing), added(&mut self.moved));
            if message.role == Role::User {
                // Those without a result first, as in lowering: a reminder goes
                // into the last result.
                let is_result =
                    |it: &&(ContentBlock, P)| matches!(it.0, ContentBlock::ToolResult(_));
                let own = blocks.iter().take_while(is_result).count();
                drop(blocks.splice(own..own, moved));
                drop(blocks.splice(0..0, results));
            } else {
                results.extend(moved);
                if !results.is_empty() {
                    close(Message::new(Role::User, Vec::new()), at.clone(), results);
                }
            }
            close(message, at, blocks);
        }
        (messages, self.repairs, positions)
    }

    fn begin_turn(&mut self, role: &Role) {
        self.turn += 1;
        self.turn_role = Some(role.clone());
        self.has_other = false;
        self.pairing.turn(turns::Role::Other);
        // A system message is no turn of the API.
        let role = match role {
            Role::User => turns::Role::User,
            Role::Assistant => turns::Role::Assistant,
            _ => return,
        };
        if role == turns::Role::Assistant {
            self.response = self.turn;
            self.server_calls.clear();
        }
        self.server.turn(role);
    }

    /// Gives the last message a text if it has no content.
    fn fill_last(&mut self) {
        if let Some(last) = self.messages.last().filter(|it| it.blocks.is_empty()) {
            let at = last.at.clone();
            self.push(ContentBlock::text(NO_CONTENT), &at);
            self.repairs.push((at, HistoryRepair::EmptyMessage));
        }
    }

    /// Appends a block that is neither a call nor a result of the client.
    fn push(&mut self, block: ContentBlock, at: &P) {
        if block.is_blank() {
            self.repairs.push((at.clone(), HistoryRepair::BlankText));
            return;
        }
        let is_system = self.messages.last().is_some_and(|it| it.message.role == Role::System);
        if !is_system && self.server.other().is_some() {
            self.drop_pending();
        }
        if let ContentBlock::Other(other) = &block {
            if let Some(id) = other.server_call() {
                if self.server.server_call(id.clone(), ()).is_some() {
                    self.repairs.push((at.clone(), HistoryRepair::ServerPair));
                    return;
                }
                self.server_calls.push((id, at.clone()));
            } else if let Some(id) = other.server_result()
                && self.server.server_result(&id).is_err()
                && (!self.server.has_call(&id) || self.pending.contains(&id))
            {
                self.repairs.push((at.clone(), HistoryRepair::ServerPair));
                return;
            }
        }
        let last = self.messages.last();
        if is_system && last.is_some_and(|it| it.blocks.is_empty()) {
            self.begin_turn(&Role::System);
        }
        self.has_other = true;
        self.append(block, at.clone());
    }

    fn append(&mut self, block: ContentBlock, at: P) {
        if let Some(last) = self.messages.last_mut() {
            last.turn = self.turn;
            last.blocks.push((block, at));
        }
    }

    /// Leaves out the calls of server tools that have no result: the user may
    /// only send results until the API has run them.
    fn drop_pending(&mut self) {
        for (id, at) in mem::take(&mut self.server_calls) {
            if self.server.server_result(&id).is_ok() {
                self.repairs.push((at, HistoryRepair::ServerPair));
                self.pending.insert(id);
            }
        }
        let is_model = |it: &Placed<P>| it.message.role == Role::Assistant;
        let turn = self.messages.iter().rfind(|it| is_model(it)).map_or(0, |it| it.turn);
        let messages = self.messages.iter_mut().rev().skip_while(|it| it.turn > turn);
        let of_turn = messages.take_while(|it| it.turn == turn).filter(|it| is_model(it));
        for Placed { at, blocks, .. } in of_turn {
            blocks.retain(|(block, _)| {
                let call = block.as_other().and_then(Other::server_call);
                call.is_none_or(|id| !self.pending.contains(&id))
            });
            if blocks.is_empty() {
                blocks.push((ContentBlock::text(NO_CONTENT), at.clone()));
                let repair = HistoryRepair::EmptyMessage;
                self.repairs.push((at.clone(), repair));
            }
        }
    }

    /// Returns an id in place of the original, which an earlier call has; `None`
    /// if none has it. `first` is the original as the API takes it.
    fn unused(&mut self, original: &str, first: &str) -> Option<String> {
        let times = self.times.entry(original.to_owned()).or_default();
        loop {
            *times += 1;
            let next = (*times > 1).then(|| format!("{original}_{times}"));
            let taken = next.as_deref().map_or_else(|| first.to_owned(), call_id::convert);
            if self.ids.insert(taken) {
                return next;
            }
        }
    }
}

impl<K: Clone + Eq + Hash, P: Clone> Default for History<K, P> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for HistoryRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MovedResult => "moved directly behind its call",
            Self::OrphanedResult => "left out: no call before it waits for this output",
            Self::UnansweredCall => "no result: an error result was added",
            Self::RepeatedId { id } => {
                let id = id.escape_debug();
                return write!(f, "an earlier call has this id: sent as {id}");
            }
            Self::MisplacedCall => "left out: only the model calls tools",
            Self::ServerPair => "left out: the call of a server tool and its result are a pair",
            Self::BlankText => "left out: the API refuses blank text",
            Self::EmptyMessage => "no content: a text that says so was added",
        })
    }
}
