//! The scope of an AWS signature, which is part of what is signed.

/// The service of AWS that a request is signed for, and its region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// An example is `bedrock`.
    pub(crate) service: &'a str,
    /// An example is `us-east-1`.
    pub(crate) region: &'a str,
}
