//! Checks a request before it is sent. It checks typed values in the form that you wrote, so that
//! findings have your paths.
//!
//! | what | when it is checked |
//! |---|---|
//! | parameters, tools, system prompt | when one of them changes |
//! | a message | once, when it is closed, and in each request before that |
//! | the markers, the last message, the number of images | in each request |
//!
//! The conditions are those in `aside_rules::of`, which body checks use too. Raw JSON in a request
//! is parsed only when it may contain a marker.

mod at;
mod changes;
mod findings;
mod markers;
mod message;
mod prefix;
mod provider;
mod target;

use std::sync::LazyLock;

use aside_messages::encode::{Body, BodyParts, Encoded};
use aside_models::Wire;
use aside_rules::of::message::Place;
use aside_rules::{Finding, Rule, guaranteed, table};

use self::changes::ToolChanges;
use self::findings::Findings;
use self::markers::PrefixMarkers;
use self::message::Pairs;
pub(crate) use self::target::Target;
use crate::inputs::Inputs;

/// The Messages API rules to check before a request is sent, besides those that lowering
/// guarantees. Other rules depend on facts that only the caller has: betas, and keys that are newer
/// than the rules.
const NOT_GUARANTEED: &[&Rule] = &[
    &table::PREFILL,
    &table::MEDIA_LIMIT,
    &table::TOOL_NAME,
    &table::DOUBLED_TOOL,
    &table::TOOL_CHOICE,
    &table::MARKER_FORM,
    &table::GLOBAL_SCOPE,
    &table::MARKER_LIMIT,
    &table::MARKER_TTL,
    &table::MARKER_AUTOMATIC,
    &table::MARKER_PLACE,
    &table::THINKING_BUDGET,
    &table::SAMPLING_RANGE,
    &table::NULL_SYSTEM,
    &table::SAMPLING,
    &table::ASSISTANT_DOCUMENT,
    &table::USER_CITATIONS,
    &table::PLATFORM_KEY,
    &table::INLINE_TOOLS_PLATFORM,
    &table::TOOL_CHANGE_REFERENCE,
    &table::TOOL_CHANGE_CONFLICT,
];

static MESSAGES_API: LazyLock<Vec<&Rule>> =
    LazyLock::new(|| [guaranteed(), NOT_GUARANTEED].concat());

/// Those that a conversation has to meet to make sense on any wire.
const ON_EVERY_WIRE: &[&Rule] = &[
    &table::NO_MESSAGE,
    &table::UNANSWERED_CALL,
    &table::ORPHANED_RESULT,
    &table::DOUBLED_RESULT,
    &table::DOUBLED_CALL,
    &table::DOUBLED_TOOL,
    &table::TOOL_CHOICE,
    &table::MEDIA_LIMIT,
];

/// Returns which Messages API rules are checked before you send a request on this wire, besides
/// those about providers and their models.
///
/// ```
/// use aside_providers::checked_rules;
/// use aside_providers::models::Wire;
///
/// let rules = checked_rules(Wire::GenerateContent);
/// assert!(rules.iter().any(|rule| rule.id == "unanswered-call"));
/// assert!(!rules.iter().any(|rule| rule.id == "marker-limit"));
/// ```
#[must_use]
pub fn checked_rules(wire: Wire) -> &'static [&'static Rule] {
    match wire {
        Wire::Messages => &MESSAGES_API,
        _ => ON_EVERY_WIRE,
    }
}

/// Where a request's messages come from, which decides what to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A `Lowerer`: they cannot break the rules in [`aside_rules::guaranteed`], so these are
    /// skipped, and a closed message is checked once.
    Lowered,
    /// Anywhere: check each request as a whole.
    Any,
}

/// Checks a session's requests.
#[derive(Debug)]
pub(crate) struct Admission {
    scope: Scope,
    /// The last valid prefix.
    prefix: Option<Prefix>,
    /// The closed messages that are valid.
    closed: Closed,
}

/// What a request has before its messages. These are compared by address: a session shares them
/// until they change.
#[derive(Debug)]
struct Prefix {
    of: Inputs,
    markers: PrefixMarkers,
}

#[derive(Clone, Debug, Default)]
struct Closed {
    messages: usize,
    images: usize,
    changes: ToolChanges,
}

impl Admission {
    pub(crate) fn new(scope: Scope) -> Self {
        Self { scope, prefix: None, closed: Closed::default() }
    }

    /// Returns the findings in a request that continues those before. If there are any, this
    /// request is not recorded.
    pub(crate) fn findings(&mut self, body: &Body, target: Target<'_>) -> Vec<Finding> {
        let parts = body.parts();
        let mut found = Findings::new(target, parts.parameters);
        let known = self.prefix.take().filter(|known| known.of.are_of(&parts));
        let is_known = known.is_some();
        let prefix = known.unwrap_or_else(|| {
            prefix::check(&mut found, &parts);
            found.prefix_of_provider(&parts);
            Prefix { of: Inputs::of(&parts), markers: PrefixMarkers::check(&mut found, body) }
        });
        let closed = self.messages(&mut found, &parts, is_known);
        if found.wire() == Wire::Messages {
            markers::check(&mut found, body, self.closed.messages, &prefix.markers);
        }
        let findings = found.finish();
        if findings.is_empty() {
            self.prefix = Some(prefix);
            if self.scope == Scope::Lowered {
                self.closed = closed;
            }
        }
        findings
    }

    /// Checks the new messages after a prefix that may be known. Returns the state after the closed
    /// ones.
    fn messages(&self, found: &mut Findings<'_>, parts: &BodyParts<'_>, is_known: bool) -> Closed {
        let mut closed = self.closed.clone();
        let mut open = ToolChanges::default();
        let (from, count) = (closed.messages, parts.history.len() + parts.tail.len());
        let mut pairs = Pairs::new();
        let mut images = closed.images;
        let messages = parts.history.messages_from(from).chain(parts.tail);
        for (index, encoded) in messages.enumerate() {
            let index = from + index;
            let Some(message) = encoded.as_message() else {
                continue;
            };
            let is_closed = index < parts.history.len();
            let changes = if is_closed { &mut closed.changes } else { &mut open };
            images += message::check(found, index, message, changes);
            if self.scope == Scope::Any {
                message::content(found, (index, Place::new(index, count)), message);
                pairs.pass(found, index, message);
            }
            found.message_of_provider(index, message);
            if is_closed {
                (closed.messages, closed.images) = (index + 1, images);
            }
        }
        pairs.finish(found);
        let is_changed = closed.changes.len() + open.len() > self.closed.changes.len();
        if is_changed || !is_known {
            changes::check(found, parts.tools.as_tools(), [&closed.changes, &open]);
        }
        if let Some((index, encoded)) = last(parts)
            && let Some(message) = encoded.as_message()
        {
            prefix::last(found, index, message, parts.parameters);
            found.last_of_provider(index, message);
        }
        if count == 0 && self.scope == Scope::Any {
            found.add(&table::NO_MESSAGE, "messages", "none");
        }
        message::limit(found, images);
        closed
    }
}

/// Returns the last message and its index.
fn last<'a>(parts: &BodyParts<'a>) -> Option<(usize, &'a Encoded)> {
    let index = (parts.history.len() + parts.tail.len()).checked_sub(1)?;
    let mut of_history = parts.history.messages_from(index);
    let encoded = parts.tail.last().or_else(|| of_history.next())?;
    Some((index, encoded))
}
