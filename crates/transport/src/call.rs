use std::time::SystemTime;

use bytes::Bytes;
use reqwest::{Method, Url};

use crate::endpoint::{Ask, Endpoint};
use crate::error::Error;
use crate::headers::headers;
use crate::secret::Credentials;
use crate::sign::signature;

/// A request that may be sent several times.
pub(crate) struct Call<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) ask: Ask,
    url: Url,
    pub(crate) body: Bytes,
    betas: &'a [String],
    version: Option<&'static str>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        endpoint: &'a Endpoint,
        model: &str,
        ask: Ask,
        body: Bytes,
    ) -> Result<Self, Error> {
        let url = endpoint.url(model, ask);
        let url = url.map_err(|error| Error::new(error.into(), endpoint))?;
        Ok(Self {
            endpoint,
            ask,
            url,
            body,
            betas: &[],
            version: None,
        })
    }

    /// With the headers of Anthropic's.
    pub(crate) fn with(self, betas: &'a [String], version: Option<&'static str>) -> Self {
        Self {
            betas,
            version,
            ..self
        }
    }

    /// The request, signed for this moment where it is to be signed.
    pub(crate) fn request(&self, now: SystemTime) -> Result<reqwest::Request, Error> {
        let failed = |kind| Error::new(kind, self.endpoint);
        let mut all = headers(self.endpoint, self.ask, self.betas, self.version).map_err(failed)?;
        if let Credentials::Aws(keys) = self.endpoint.credentials() {
            let region = self.endpoint.region();
            let signed = signature(keys, region, &self.url, &all, &self.body, now);
            all.extend(signed.map_err(failed)?);
        }
        let mut request = reqwest::Request::new(Method::POST, self.url.clone());
        *request.headers_mut() = all;
        *request.body_mut() = Some(self.body.clone().into());
        Ok(request)
    }
}
