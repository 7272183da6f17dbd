//! The model, differences and parents, through the public API.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod bound;
mod causes;
mod cleared;
mod images;
mod labelled;
mod lint;
mod many_parts;
mod model;
mod moved;
mod mutants;
mod numbered;
mod openai;
mod outline;
mod parameters;
mod parents;
mod recorded;
mod relation;
mod result_shape;
mod reuse;
mod spending;
mod whole_messages;
