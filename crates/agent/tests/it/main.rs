//! The tests of `agent` from outside, in one program: each program costs a link.

mod agent_loop;
mod prefix_gate;
