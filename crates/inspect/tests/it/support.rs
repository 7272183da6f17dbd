//! What several tests share.

pub(crate) mod long_session;
