//! The check of a session's requests, at a cost that does not grow with the conversation.
//!
//! A closed message never changes, so it is checked once. A request checks the parameters
//! if they changed, the new messages with their neighbors, and the totals over all
//! messages, which are kept for the closed ones.

use std::collections::HashSet;
use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, Encoded};
use aside_messages::wire::{ContentBlock, Message, Request, ResultContent, Role};
use aside_rules::{Finding, Rule, RuleScope, table};

use crate::check;
use crate::family::Family;
use crate::target::Target;

/// Checks the requests of a session. Each message is checked until it is closed and
/// valid, and not again after that.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The prefix that was found to be right.
    prefix: Option<Prefix>,
    /// Totals over the closed messages, without those of the open ones.
    closed: Across,
}

/// The parts of a request before its messages. They are compared by address: a session
/// shares them until they change.
#[derive(Debug)]
struct Prefix {
    /// The request without tools, system prompt and messages.
    parameters: Arc<Request>,
    /// The tools, as they were encoded.
    tools: Arc<Encoded>,
    /// The system prompt, as it was encoded.
    system: Arc<Encoded>,
}

/// The state of the rules over all messages.
#[derive(Clone, Debug, Default)]
struct Across {
    /// The ids of all calls, to find one that occurs twice.
    calls: HashSet<Arc<str>>,
    /// The ids of the calls that have a result.
    results: HashSet<Arc<str>>,
    /// The number of images, those inside results included.
    images: usize,
}

impl Checked {
    /// Returns the findings of a request with `known` first messages that
    /// were closed and valid before. If there are any, nothing is recorded.
    pub(crate) fn findings(
        &mut self,
        body: &Body,
        known: usize,
        target: Target<'_>,
    ) -> Vec<Finding> {
        let mut found = self.in_prefix(body, target);
        if target.spec.family == Family::Anthropic {
            found.extend(check::markers(body, target));
        }
        found.extend(in_messages(body, known, target));
        let closed = self.across_messages(body, known, target, &mut found);
        if found.is_empty() {
            self.closed.add(closed);
            let parts = body.parts();
            self.prefix = Some(Prefix {
                parameters: parts.parameters.clone(),
                tools: parts.tools.clone(),
                system: parts.system.clone(),
            });
        }
        found
    }

    /// Checks parameters, tools and system prompt, unless they are those of the last
    /// valid request. The messages are replaced by one of the user that breaks no rule.
    fn in_prefix(&self, body: &Body, target: Target<'_>) -> Vec<Finding> {
        let parts = body.parts();
        let is_known = self.prefix.as_ref().is_some_and(|known| {
            Arc::ptr_eq(&known.parameters, parts.parameters)
                && Arc::ptr_eq(&known.tools, parts.tools)
                && Arc::ptr_eq(&known.system, parts.system)
        });
        if is_known {
            return Vec::new();
        }
        let request = Request {
            tools: parts.tools.as_tools().to_vec(),
            system: parts.system.as_system().to_vec(),
            messages: vec![Message::new(Role::User, vec![ContentBlock::text("Hi")])],
            // Markers are checked by themselves.
            cache_control: None,
            ..Request::clone(parts.parameters)
        };
        check::findings(&request, target, RuleScope::Prefix)
    }

    /// Checks the rules over all messages: the total of media, and duplicate
    /// ids. Returns the state after the newly closed messages.
    ///
    /// `known` is the number of messages that were closed and checked before. Findings
    /// of the closed messages and of the open ones are added to `found`; the returned
    /// state has only the closed ones, since the open ones may change.
    fn across_messages(
        &self,
        body: &Body,
        known: usize,
        target: Target<'_>,
        found: &mut Vec<Finding>,
    ) -> Across {
        let parts = body.parts();
        let mut new = Across::default();
        let closed = parts.history.messages_from(known).zip(known..);
        for (message, index) in closed {
            self.closed
                .follow((index, message), target, &mut new, found);
        }
        let mut all = new.clone();
        for (message, index) in parts.tail.iter().zip(parts.history.len()..) {
            self.closed
                .follow((index, message), target, &mut all, found);
        }
        let count = self.closed.images + all.images;
        let facts = target.spec.facts(target.model);
        let limit = facts
            .and_then(|facts| facts.max_images)
            .and_then(|limit| usize::try_from(limit).ok());
        if let Some(limit) = limit.filter(|limit| count > *limit) {
            let model = facts.map_or("", |facts| facts.id);
            let images = format!("{count} images, {model} takes {limit}");
            let path = "messages".to_owned();
            found.extend([check::finding(&table::MEDIA_LIMIT, path, images, target)]);
        }
        new
    }
}

/// Checks the rules over one message and its neighbors, for messages that are
/// new or were not closed. The last closed one is checked again, since its
/// successor was not closed.
///
/// The messages are checked as a request of their own, and the indices in the paths of
/// findings are moved to those of the whole conversation.
fn in_messages(body: &Body, known: usize, target: Target<'_>) -> Vec<Finding> {
    let parts = body.parts();
    let from = known.saturating_sub(1);
    let start = run_before(body, from);
    let messages = parts.history.messages_from(start).chain(parts.tail);
    let messages: Vec<&Encoded> = messages.map(|it| &**it).collect();
    // A compaction may end with an answer.
    let mut found = check::message_findings(&messages, &parts.parameters.extra, target);
    found.retain_mut(|finding| {
        let Some((index, rest)) = place_of(&finding.path) else {
            return finding.rule == table::NO_MESSAGE.id;
        };
        finding.path = format!("messages[{}]{rest}", start + index);
        start + index >= from
    });
    found
}

/// Returns the index of the first message of the run before that of the message at
/// `from`: calls and their outputs are looked for in consecutive messages of one role,
/// which the API joins.
///
/// ```text
/// user, assistant, assistant, user    from = 3 → 1
/// ```
///
/// The search doubles its reach, so its cost depends on the length of the two runs, not
/// on that of the conversation. System messages do not end a run.
fn run_before(body: &Body, from: usize) -> usize {
    let parts = body.parts();
    let mut reach = 4;
    loop {
        let first = from.saturating_sub(reach);
        let messages = parts.history.messages_from(first).chain(parts.tail);
        let roles: Vec<Option<&Role>> = messages
            .take(from - first + 1)
            .map(|it| it.as_message().map(|message| &message.role))
            .collect();
        let (mut role, mut changes) = (None, 0);
        for (place, it) in roles.iter().enumerate().rev() {
            let Some(it @ (Role::User | Role::Assistant)) = it else {
                continue;
            };
            changes += usize::from(role.is_some_and(|role| role != *it));
            if changes == 2 {
                return first + place + 1;
            }
            role = Some(*it);
        }
        if first == 0 {
            return 0;
        }
        reach *= 2;
    }
}

/// Returns the index of a message in a path, and the rest of the path; `None` for a path
/// outside of the messages.
///
/// ```text
/// messages[12].content[0].id → (12, ".content[0].id")
/// ```
fn place_of(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.strip_prefix("messages[")?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

impl Across {
    /// Adds the ids and images of a message to `new`. Reports ids that `new` or the
    /// closed messages in `self` have already.
    fn follow(
        &self,
        (index, message): (usize, &Encoded),
        target: Target<'_>,
        new: &mut Self,
        found: &mut Vec<Finding>,
    ) {
        let content = message.as_message().map(|it| &it.content[..]);
        for (place, block) in content.unwrap_or_default().iter().enumerate() {
            let (rule, key, id, here, there): (&'static Rule, _, _, _, _) = match block {
                ContentBlock::ToolUse(call) => {
                    let (seen, new) = (&self.calls, &mut new.calls);
                    (&table::DOUBLED_CALL, "id", &call.id, seen, new)
                }
                ContentBlock::ToolResult(result) => {
                    new.images += images(match &result.content {
                        ResultContent::Blocks(blocks) => blocks,
                        ResultContent::Text(_) => &[],
                    });
                    let id = &result.tool_use_id;
                    let (seen, new) = (&self.results, &mut new.results);
                    (&table::DOUBLED_RESULT, "tool_use_id", id, seen, new)
                }
                block => {
                    new.images += images(std::slice::from_ref(block));
                    continue;
                }
            };
            if here.contains(id) || !there.insert(id.clone()) {
                let at = BlockRef::Message {
                    message: index,
                    block: place,
                };
                let path = format!("{at}.{key}");
                let again = format!("{id:?} again");
                found.extend([check::finding(rule, path, again, target)]);
            }
        }
    }

    /// Adds the totals of messages that were closed.
    fn add(&mut self, new: Self) {
        self.calls.extend(new.calls);
        self.results.extend(new.results);
        self.images += new.images;
    }
}

/// Returns the number of images among the blocks, without those inside results.
fn images(blocks: &[ContentBlock]) -> usize {
    let is_image = |block: &&ContentBlock| matches!(block, ContentBlock::Image(_));
    blocks.iter().filter(is_image).count()
}
