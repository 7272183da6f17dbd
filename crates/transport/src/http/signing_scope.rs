//! The scope of an AWS signature, which is part of what is signed.

/// Which AWS service a request is signed for, and in which region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// Such as `bedrock`.
    pub(crate) service: &'a str,
    /// Such as `us-east-1`.
    pub(crate) region: &'a str,
}
