//! A request as the judge sees it: without HTTP, at a time that you choose.

use std::time::Duration;

/// A request to the judge: the body and the headers that change what it means.
///
/// The time decides which cache entries are alive. If you set none, or an
/// earlier one, the request is sent at the last request's time.
#[derive(Clone, Debug)]
pub struct StrictRequest<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) betas: Vec<String>,
    pub(crate) version: String,
    pub(crate) at: Option<Duration>,
}

impl<'a> StrictRequest<'a> {
    /// Creates a request with `anthropic-version: 2023-06-01` and no beta, sent
    /// at the last request's time.
    #[must_use]
    pub fn new(body: &'a [u8]) -> Self {
        Self { body, betas: Vec::new(), version: "2023-06-01".to_owned(), at: None }
    }

    /// Sets the betas from the value of the header `anthropic-beta`: names with
    /// commas between them.
    #[must_use]
    pub fn betas(mut self, header: &str) -> Self {
        let names =
            header.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        self.betas.extend(names);
        self
    }

    /// Sets the header `anthropic-version`.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Sets the request's time, since an epoch that you choose.
    #[must_use]
    pub fn at(mut self, since_epoch: Duration) -> Self {
        self.at = Some(since_epoch);
        self
    }

    pub(crate) fn has_beta(&self, name: &str) -> bool {
        self.betas.iter().any(|beta| beta == name)
    }
}
