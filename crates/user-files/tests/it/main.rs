//! The tests of `user-files` from outside, in one program: each program costs a link.

mod documents;
mod gray_matter_habits;
mod open;
mod sentences;
