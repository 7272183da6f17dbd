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
//!
//! An edited body is checked: if it breaks a rule that the body as it came does
//! not break, the body stays as it is.

mod edit;
mod scan;
mod tail;
mod verify;

use std::fmt;

use aside_cache_split::{PlanOptions, Reason, TtlPolicy, plan_request};
use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Request, Ttl};

use edit::Edits;
use scan::{Block, Scan};
use tail::{Tail, TailPlace};

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("place markers: {detail}")]
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
    /// With the planned markers, the API would refuse it.
    WouldBeRefused,
}

/// The maximum number of markers of a request, the automatic one included.
const MAX_MARKERS: usize = 4;

/// A marker to insert.
struct Insertion {
    /// The end of the block, or of the request itself.
    end: usize,
    control: CacheControl,
    /// The markers with the highest rank are given up if there are too many.
    rank: u8,
}

/// Replaces the markers of a request of the Messages API.
///
/// # Errors
/// Returns the reason if the body has to stay as it is.
pub fn place(body: &[u8]) -> Result<Placed, PlaceError> {
    let sent = scanned(body)?;
    if sent.marker_count() == 0 && sent.tools.is_empty() && sent.messages.len() < 2 {
        return Err(error(
            PlaceErrorKind::SingleCall,
            "one message, no tool, no marker",
        ));
    }
    let mut edits = Edits::new(body);
    let last = sent.messages.len().saturating_sub(1);
    let replaced = sent
        .messages
        .iter()
        .enumerate()
        .filter(|(index, _)| *index > 0 || last == 0);
    let on_messages = replaced
        .flat_map(|(_, message)| &message.blocks)
        .flat_map(Block::markers);
    let removed = on_messages.chain(sent.automatic()).chain(sent.nulls());
    removed.for_each(|marker| edits.remove(marker));
    let removed = edits.len();
    let stripped = edits.apply();
    let scan = scanned(&stripped)?;
    let mut edits = Edits::new(&stripped);
    for insertion in insertions(&sent, &scan, &stripped)? {
        edits.insert(insertion.end, &insertion.control);
    }
    let placed = Placed {
        inserted: edits.len(),
        body: edits.apply(),
        removed,
    };
    match verify::new_finding(body, &placed.body) {
        Some(it) => Err(error(
            PlaceErrorKind::WouldBeRefused,
            format_args!(
                "unchanged, since the API would refuse {} ({})",
                it.found, it.rule
            ),
        )),
        None => Ok(placed),
    }
}

/// Plans the markers that go into a body without the ones that are replaced.
fn insertions(sent: &Scan, scan: &Scan, stripped: &[u8]) -> Result<Vec<Insertion>, PlaceError> {
    let request = Request::parse(stripped)
        .map_err(|it| error(PlaceErrorKind::Unreadable, it))?
        .value;
    let options = PlanOptions {
        ttl: lifetimes(sent),
        ..PlanOptions::default()
    };
    let plan = plan_request(&request, options).map_err(|it| error(PlaceErrorKind::Refused, it))?;
    let mut insertions = Vec::new();
    for planned in &plan.markers {
        if planned.reason != Reason::Caller
            && let Some(block) = scan.target(planned.marker.at)
        {
            insertions.push(Insertion {
                end: block.end,
                control: planned.marker.control.clone(),
                rank: match planned.reason {
                    Reason::Anchor => 1,
                    Reason::LastStable => 2,
                    Reason::LastTool => 5,
                    _ => 4,
                },
            });
        }
    }
    if let Some(tail) = Tail::choose(sent, &plan) {
        let end = match tail.at {
            TailPlace::Automatic => scan.end,
            TailPlace::Block { message, block } => {
                let marked = scan.messages[message].blocks.get(block);
                marked.map_or(scan.end, |block| block.end)
            }
        };
        insertions.push(Insertion {
            end,
            control: CacheControl::lasting(options.ttl.conversation()),
            rank: if tail.is_needed { 0 } else { 3 },
        });
    }
    insertions.sort_by_key(|it| it.rank);
    insertions.truncate(MAX_MARKERS.saturating_sub(scan.marker_count()));
    Ok(insertions)
}

fn scanned(body: &[u8]) -> Result<Scan, PlaceError> {
    Scan::of(body).ok_or_else(|| error(PlaceErrorKind::Unreadable, "no request"))
}

/// Returns the lifetimes that the agent chose.
///
/// ```text
/// 1h on a message or on the request      everything for 1 hour
/// 1h on tools or system only             shared layers for 1 hour, the conversation for 5 minutes
/// else                                   everything for 5 minutes
/// ```
fn lifetimes(sent: &Scan) -> TtlPolicy {
    let is_long = |block: &Block| block.markers().any(|marker| marker.ttl == Ttl::OneHour);
    let mut messages = sent.messages.iter().flat_map(|message| &message.blocks);
    let is_automatic_long = sent.automatic().is_some_and(|it| it.ttl == Ttl::OneHour);
    if is_automatic_long || messages.any(is_long) {
        return TtlPolicy::Long;
    }
    let mut prefix = sent.tools.iter().chain(&sent.system);
    if prefix.any(is_long) {
        TtlPolicy::LongPrefix
    } else {
        TtlPolicy::Short
    }
}

impl Scan {
    /// Returns the block that gets a planned marker; `None` if the block cannot
    /// have one, or has kept one of its own.
    fn target(&self, at: BlockRef) -> Option<&Block> {
        let block = match at {
            BlockRef::Tool(index) => self.tools.get(index),
            BlockRef::System(index) => self.system.get(index),
            BlockRef::Message { message, block } => self.messages.get(message)?.blocks.get(block),
        };
        block.filter(|it| it.takes_marker && it.markers().next().is_none())
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
