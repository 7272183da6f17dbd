//! The tests of `text` from outside, in one program: each program costs a link.

mod laws;
mod table;
