//! Parts that several tests share.

pub(crate) mod long_session;
