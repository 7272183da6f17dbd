//! The tests of `cache-split` from outside, in one program: each program costs a link.

mod explain;
mod plan;
mod whole_request;
