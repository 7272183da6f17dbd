/// Why a configured server cannot be used. Displays as a fragment, such as `url is missing`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The key for the program or the URL is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The transport is not supported.
    #[error("type {0:?} is not supported: expected stdio or http")]
    Kind(String),
    /// The URL is not an HTTP one.
    #[error("url {0:?}: expected http:// or https://")]
    Address(String),
    /// A variable has no value and no default.
    #[error("the variable {0} is not set")]
    Variable(String),
}
