//! The tests of `git-context` from outside, in one program: each program costs a link.

mod blocking;
mod snapshot;
mod support;
