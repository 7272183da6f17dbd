//! Tests through the public API, in one program: each program costs a link.

mod media;
mod wire;
