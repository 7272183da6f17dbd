#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "http")]
mod call;
#[cfg(feature = "http")]
mod causes;
#[cfg(feature = "http")]
mod client;
#[cfg(feature = "http")]
mod converters;
#[cfg(feature = "http")]
mod count;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod error;
#[cfg(feature = "http")]
mod event_stream;
#[cfg(feature = "http")]
mod events;
#[cfg(feature = "http")]
mod headers;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod limits;
mod playback;
#[cfg(feature = "http")]
mod pools;
mod prefix_gate;
mod replay;
#[cfg(feature = "http")]
mod retry;
#[cfg(feature = "http")]
mod retry_after;
#[cfg(feature = "http")]
mod secret;
#[cfg(feature = "http")]
mod sign;
#[cfg(feature = "http")]
mod signing_scope;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_agent as agent;
pub use aside_messages as messages;
pub use aside_providers as providers;

#[cfg(feature = "http")]
pub use client::HttpClient;
#[cfg(feature = "http")]
pub use count::Tokens;
#[cfg(feature = "http")]
pub use endpoint::{BadEndpoint, Endpoint};
#[cfg(feature = "http")]
pub use error::{TransportError, TransportErrorKind};
#[cfg(feature = "http")]
pub use event_stream::AwsEventStream;
#[cfg(feature = "http")]
pub use events::Events;
#[cfg(feature = "http")]
pub use http::Http;
#[cfg(feature = "http")]
pub use limits::{Limits, Proxies};
#[cfg(feature = "http")]
pub use pools::NoClient;
pub use prefix_gate::PrefixGate;
pub use replay::Replay;
#[cfg(feature = "http")]
pub use retry::{Failure, RetryPolicy};
#[cfg(feature = "http")]
pub use secret::{AwsKeys, Credentials, Secret};
