/// The service of AWS that a request is signed for, and its region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) service: &'a str,
    pub(crate) region: &'a str,
}
