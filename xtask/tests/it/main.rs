//! The tests of `xtask` from outside, in one program: each program costs a link.

mod golden;
mod seeded;
