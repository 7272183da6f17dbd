//! The tests of `transcript` from outside, in one program: each program costs a link.

mod resume;
mod transcript;
