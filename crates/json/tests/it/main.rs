//! The tests of `json` from outside, in one program: each program costs a link.

mod tape;
