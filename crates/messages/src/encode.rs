//! From messages to bytes.
//!
//! What will not change is encoded once, without cache markers. A marker is
//! the last key of a block, so it can be put in on the way out: a plan is a
//! list of positions, never a field in what is kept.

mod body;
mod builder;
mod encoded;
mod history;
mod marker;
mod resolve;

pub use body::{Body, BodyParts};
pub use encoded::{Encoded, EncodedBlock};
pub use history::History;
pub use marker::{BlockRef, Marker, MarkerError};
