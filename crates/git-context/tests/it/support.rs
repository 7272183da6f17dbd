//! Parts that several tests share.

pub(crate) mod executable;
