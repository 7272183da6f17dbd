//! Tests through the public API, in one program: each program costs a link.

mod broken;
mod media;
mod wire;
