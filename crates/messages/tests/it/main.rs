//! The tests of `messages` from outside, in one program: each program costs a link.

mod check;
mod conversation;
mod lower;
mod wire;
