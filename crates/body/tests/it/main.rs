//! The tests of `body` from outside, in one program: each program costs a link.

mod wire;
