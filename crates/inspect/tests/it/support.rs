//! Parts that several tests share.

pub mod long_session;
