#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "http")]
mod http;
mod playback;
mod prefix_gate;
mod replay;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_agent as agent;
pub use aside_messages as messages;
pub use aside_providers as providers;

#[cfg(feature = "http")]
pub use http::{
    AwsEventStream, AwsKeys, BadEndpoint, Credentials, Endpoint, Events, Failure, Http, HttpClient,
    Limits, NoClient, Proxies, RetryPolicy, Secret, Tokens, TransportError, TransportErrorKind,
};
pub use prefix_gate::PrefixGate;
pub use replay::Replay;
