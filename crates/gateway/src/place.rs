//! Replaces the cache markers of a request by planned ones, byte for byte.
//!
//! Nothing but markers changes: an edit is the insertion or the removal of one
//! member with its comma.
//!
//! ```
//! use aside_gateway::place::place;
//!
//! let body = br#"{"model":"claude-opus-5-5","max_tokens":8,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":"Yes?"},{"role":"user","content":[{"type":"text","text":"Go on"}]}]}"#;
//! let placed = place(body)?;
//! let text = String::from_utf8(placed.body)?;
//! assert!(text.ends_with(r#""text":"Go on","cache_control":{"type":"ephemeral"}}]}]}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Markers of the agent stay on tools, on the system prompt and on the first
//! of several messages: it knows what its sessions share. The other markers of
//! messages are replaced, with the agent's own lifetime. A request that looks
//! like a single call (no marker, no tool, one message) stays as it is, since
//! a write that is never read only costs.

mod edit;
mod scan;

use std::fmt;

use aside_cache_split::{PlanOptions, Reason, TtlPolicy, plan_request};
use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Request, Ttl};

use edit::Edits;
use scan::{Block, Scan};

/// A body with planned markers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placed {
    /// The body.
    pub body: Vec<u8>,
    /// The number of markers that were removed.
    pub removed: usize,
    /// The number of markers that were inserted.
    pub inserted: usize,
}

/// The reason why a body is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceError {
    kind: PlaceErrorKind,
    /// The cause, such as the rule that the markers break.
    detail: String,
}

/// The kinds of [`PlaceError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceErrorKind {
    /// It cannot be read as a request.
    Unreadable,
    /// Its markers break the API's rules.
    Refused,
    /// It looks like a single call.
    SingleCall,
}

/// Replaces the markers of a request of the Messages API.
///
/// # Errors
/// Returns the reason if the body has to stay as it is.
pub fn place(body: &[u8]) -> Result<Placed, PlaceError> {
    let scan = Scan::of(body).ok_or_else(|| error(PlaceErrorKind::Unreadable, "no request"))?;
    let marked = scan.blocks().any(|block| block.marker.is_some()) || scan.automatic.is_some();
    if !marked && scan.tools.is_empty() && scan.messages.len() < 2 {
        return Err(error(
            PlaceErrorKind::SingleCall,
            "one message, no tool, no marker",
        ));
    }
    let mut edits = Edits::new(body);
    let last = scan.messages.len().saturating_sub(1);
    let replaced = scan
        .messages
        .iter()
        .enumerate()
        .filter(|(index, _)| *index > 0 || last == 0);
    for block in replaced.flat_map(|(_, message)| &message.blocks) {
        for marker in block.markers() {
            edits.remove(marker);
        }
    }
    if let Some(marker) = &scan.automatic {
        edits.remove(marker);
    }
    let stripped = edits.apply();
    let removed = edits.len();
    let scan =
        Scan::of(&stripped).ok_or_else(|| error(PlaceErrorKind::Unreadable, "no request"))?;
    let parsed = Request::parse(&stripped);
    let request = parsed
        .map_err(|it| error(PlaceErrorKind::Unreadable, it))?
        .value;
    let options = PlanOptions {
        ttl: lifetimes(body),
        ..PlanOptions::default()
    };
    let plan = plan_request(&request, options).map_err(|it| error(PlaceErrorKind::Refused, it))?;
    let mut edits = Edits::new(&stripped);
    let mut is_tail_placed = false;
    for planned in &plan.markers {
        if planned.reason == Reason::Caller {
            continue;
        }
        let is_tail = planned.reason == Reason::LastStable;
        let Some(block) = scan.target(planned.marker.at) else {
            continue;
        };
        edits.insert(block, &planned.marker.control);
        is_tail_placed |= is_tail;
    }
    if !is_tail_placed && scan.ends_in_text() && plan.markers.len() <= 4 {
        let control = CacheControl::lasting(options.ttl.conversation());
        edits.insert_automatic(&scan, &control);
    }
    Ok(Placed {
        inserted: edits.len(),
        body: edits.apply(),
        removed,
    })
}

/// Returns the lifetimes that the agent chose.
///
/// ```text
/// 1h on a message or on the request      everything for 1 hour
/// 1h on tools or system only             shared layers for 1 hour, the conversation for 5 minutes
/// else                                   everything for 5 minutes
/// ```
fn lifetimes(body: &[u8]) -> TtlPolicy {
    let Some(scan) = Scan::of(body) else {
        return TtlPolicy::Short;
    };
    let is_long = |block: &Block| block.markers().any(|marker| marker.ttl == Ttl::OneHour);
    let mut messages = scan.messages.iter().flat_map(|message| &message.blocks);
    if scan
        .automatic
        .as_ref()
        .is_some_and(|it| it.ttl == Ttl::OneHour)
        || messages.any(is_long)
    {
        return TtlPolicy::Long;
    }
    let mut prefix = scan.tools.iter().chain(&scan.system);
    match prefix.any(is_long) {
        true => TtlPolicy::LongPrefix,
        false => TtlPolicy::Short,
    }
}

impl Scan {
    /// Returns the block that gets a planned marker; `None` if the block cannot
    /// have one, or has kept one of its own.
    fn target(&self, at: BlockRef) -> Option<&Block> {
        match at {
            BlockRef::Tool(index) => self.tools.get(index).filter(|it| it.takes_marker),
            BlockRef::System(index) => self.system.get(index).filter(|it| it.takes_marker),
            BlockRef::Message { message, block } => {
                let it = self.messages.get(message)?;
                let planned = it.blocks.get(block);
                planned.filter(|it| it.takes_marker && it.markers().next().is_none())
            }
        }
    }
}

fn error(kind: PlaceErrorKind, detail: impl fmt::Display) -> PlaceError {
    PlaceError {
        kind,
        detail: detail.to_string(),
    }
}

impl PlaceError {
    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> PlaceErrorKind {
        self.kind
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "place markers: {}", self.detail)
    }
}

impl std::error::Error for PlaceError {}
