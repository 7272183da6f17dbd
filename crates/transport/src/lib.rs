#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod call;
mod causes;
mod client;
mod converters;
mod count;
mod endpoint;
mod error;
mod event_stream;
mod events;
mod headers;
mod http;
mod limits;
mod pools;
mod retry;
mod retry_after;
mod secret;
mod sign;
mod signing_scope;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_messages as messages;
pub use aside_providers as providers;

pub use client::HttpClient;
pub use count::Tokens;
pub use endpoint::{BadEndpoint, Endpoint};
pub use error::{TransportError, TransportErrorKind};
pub use event_stream::AwsEventStream;
pub use events::Events;
pub use http::Http;
pub use limits::{Limits, Proxies};
pub use pools::NoClient;
pub use retry::{Failure, RetryPolicy};
pub use secret::{AwsKeys, Credentials, Secret};
