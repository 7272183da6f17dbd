//! Tests through the public API, in one program: each program costs a link.

mod broken;
mod items;
mod media;
mod wire;
