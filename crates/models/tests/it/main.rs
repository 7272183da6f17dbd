//! The tests of `models` from outside, in one program: each program costs a link.

mod catalogue;
mod claude;
mod estimates;
mod others;
