//! The tests of `gateway` from outside, in one program: each program costs a link.

mod http;
mod place;
mod strict;
