//! Parts that several tests share.

pub mod executable;
