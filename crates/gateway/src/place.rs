//! Replaces a request's cache markers by planned ones, byte for byte.
//!
//! Only markers change: an edit inserts or removes one member with its comma.
//!
//! ```
//! use aside_gateway::place::place;
//!
//! let body = br#"{"model":"claude-opus-5-5","max_tokens":8,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":"Yes?"},{"role":"user","content":[{"type":"text","text":"Go on"}]}]}"#;
//! let placed = place(body)?;
//! let text = String::from_utf8(placed.body())?;
//! assert!(text.ends_with(r#""text":"Go on","cache_control":{"type":"ephemeral"}}]}]}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Markers of the agent stay on tools, on the system prompt and on the first
//! of several messages: it knows what its sessions share. The other markers of
//! messages are replaced, with the agent's own lifetime, or by checkpoints if the
//! agent asks for an hour and seldom pauses. A request that looks
//! like a single call (no marker, no tool, one message) stays as it is, since
//! a write that is never read only costs. A request in a thread stays as it is, too: the API
//! keeps its other messages, and counts their markers.
//!
//! A request that already has the plan's markers stays as it is. A [`Placer`]
//! adds what it has learned from earlier requests: markers go before blocks
//! that did not come back, and to the end of what sessions share.
//!
//! An edited body is checked: if it breaks a rule that the original does not
//! break, the original is sent.

mod edit;
mod insert;
mod learn;
mod placer;
mod recent;
mod scan;
mod tail;
mod verify;

use std::fmt;

use aside_body::Body;
use aside_cache_split::plan_body;
use aside_messages::encode::BlockRef;
use bytes::Bytes;

pub use placer::{Placement, Placer};

use edit::Edits;
use insert::insertions;
use learn::Lesson;
use scan::Scan;

/// A marker's key.
const KEY: &str = "cache_control";

/// Counts keys of markers, wherever they are.
fn key_count(text: &str) -> usize {
    text.matches(r#""cache_control""#).count()
}

/// A body with planned markers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placed {
    /// The body's parts: slices of the original one, and what is inserted.
    pub segments: Vec<Bytes>,
    /// How many markers were removed.
    pub removed: usize,
    /// How many markers were inserted.
    pub inserted: usize,
}

/// Why a body is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("place markers: {detail}")]
pub struct PlaceError {
    kind: PlaceErrorKind,
    /// The cause, such as the rule that the markers break.
    detail: String,
}

/// What kind of [`PlaceError`] this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceErrorKind {
    /// It cannot be read as a request.
    Unreadable,
    /// Its markers break the API's rules.
    Refused,
    /// It looks like a single call.
    SingleCall,
    /// The API keeps messages of its thread, with their markers.
    Thread,
    /// With the planned markers, the API would refuse it.
    WouldBeRefused,
    /// Planned markers made its agent's requests dearer.
    Dearer,
}

/// What earlier requests say about this one.
#[derive(Debug, Default)]
struct Known {
    /// The first block at its end that the next request will not have.
    volatile_from: Option<BlockRef>,
    /// The prompt's first blocks, which other sessions have, too.
    shared: Vec<BlockRef>,
    lesson: Lesson,
}

impl Known {
    /// Iterates over the last blocks that sessions share. Strings and thinking take no marker; a
    /// few blocks before them are as good.
    fn shared_ends(&self) -> impl Iterator<Item = &BlockRef> {
        self.shared.iter().rev().take(3)
    }
}

/// Replaces the markers in a Messages API request.
///
/// # Errors
/// Why the body has to stay as it is.
pub fn place(body: &[u8]) -> Result<Placed, PlaceError> {
    let body = Bytes::copy_from_slice(body);
    let read = Body::parse_without_tokens(body.clone(), None).map_err(|_| unreadable())?;
    let sent = Scan::of(&read, None).ok_or_else(unreadable)?;
    edited(&body, &read, &sent, &Known::default())
}

/// Replaces the markers in a request, given what is known about it. `sent` is its scan.
fn edited(body: &Bytes, read: &Body, sent: &Scan, known: &Known) -> Result<Placed, PlaceError> {
    if sent.is_in_thread {
        return Err(error(PlaceErrorKind::Thread, "unchanged, since its thread may have markers"));
    }
    let is_unmarked = sent.marker_count() == 0;
    if is_unmarked && sent.tools.is_empty() && sent.messages.len() < 2 && known.shared.is_empty() {
        return Err(error(PlaceErrorKind::SingleCall, "one message, no tool, no marker"));
    }
    if known.lesson.is_dearer {
        let detail = "unchanged, since placed markers made this agent dearer";
        return Err(error(PlaceErrorKind::Dearer, detail));
    }
    if sent.mixes_lifetimes() {
        return Ok(Placed::unchanged(body));
    }
    let mut edits = Edits::new(body);
    sent.removals().for_each(|range| edits.remove(range));
    let removed = edits.len();
    let insertions = insertions(sent, read.model(), known)?;
    if sent.has_markers_of(&insertions) {
        return Ok(Placed::unchanged(body));
    }
    for insertion in &insertions {
        edits.mark(insertion.end - 1, &insertion.control);
    }
    let automatic = insertions.iter().find(|it| it.at.is_none());
    let automatic = automatic.and_then(|it| it.control.ttl());
    let is_valid = verify::has_valid_markers(sent, &edits, automatic);
    let placed = Placed { inserted: insertions.len(), segments: edits.segments(body), removed };
    if is_valid {
        return Ok(placed);
    }
    match verify::new_finding(body, &placed.body()) {
        Some(it) => Err(error(
            PlaceErrorKind::WouldBeRefused,
            format_args!("unchanged, since the API would refuse {} ({})", it.found, it.rule),
        )),
        None => Ok(placed),
    }
}

fn unreadable() -> PlaceError {
    error(PlaceErrorKind::Unreadable, "no request")
}

impl Placed {
    /// Returns the body.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        self.segments.concat()
    }

    /// Adds a breakpoint and a cache key to a body that is not for the Messages API.
    fn with_additions(read: &Body, body: &Bytes) -> Self {
        let mut edits = Edits::new(body);
        // Only members are inserted.
        for addition in plan_body(read).iter().filter(|it| it.string.is_none()) {
            edits.replace(addition.at.clone(), addition.replacement());
        }
        Self { removed: 0, inserted: edits.len(), segments: edits.segments(body) }
    }

    /// The body stays as it is, since its own markers are as good.
    fn unchanged(body: &Bytes) -> Self {
        Self { segments: vec![body.clone()], removed: 0, inserted: 0 }
    }
}

fn error(kind: PlaceErrorKind, detail: impl fmt::Display) -> PlaceError {
    PlaceError { kind, detail: detail.to_string() }
}

impl PlaceError {
    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> PlaceErrorKind {
        self.kind
    }
}
