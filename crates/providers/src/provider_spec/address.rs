//! The address of a provider: its base URL, and the parts that the user names.

/// The address of a provider.
///
/// ```text
/// base    https://{region}-aiplatform.googleapis.com/v1
/// bases   global → https://aiplatform.googleapis.com/v1
/// scope   projects, {project}, locations, {region}
/// places  region from CLOUD_ML_REGION, project from ANTHROPIC_VERTEX_PROJECT_ID
/// → https://aiplatform.googleapis.com/v1/projects/p/locations/global
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The variable that replaces the default base URL.
    pub base_variable: &'static str,
    /// The default base URL; `{name}` is replaced by an [`AddressPart`].
    pub base: &'static str,
    /// Base URLs for single values of the first place.
    /// The pairs are the value and its base URL; other values use [`Address::base`].
    pub bases: &'static [(&'static str, &'static str)],
    /// Suffixes of the host names that are the provider's own. A server with
    /// another name is [`ServerKind::Compatible`](crate::ServerKind::Compatible).
    /// Empty if every server counts as the provider's own.
    /// An example is `openai.com`.
    pub own_hosts: &'static [&'static str],
    /// Path segments after the base, even a configured one; `{name}` is
    /// replaced by an [`AddressPart`].
    pub scope: &'static [&'static str],
    /// The values needed in addition to the base.
    /// Each is named in `base` or in `scope`.
    pub places: &'static [AddressPart],
}

/// A part of an address that the user names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPart {
    /// Such as `region`.
    /// In a template it is in braces.
    pub name: &'static str,
    /// The variable that holds it.
    /// An example is `AWS_REGION`.
    pub variable: &'static str,
    /// The allowed bytes in addition to letters, digits, `-` and `_`.
    /// The set is closed so that a value cannot leave its place in the URL.
    pub punctuation: &'static [u8],
}

impl Address {
    /// Creates an address without parts that the user names.
    ///
    /// Every server counts as the provider's own.
    #[must_use]
    pub const fn fixed(base_variable: &'static str, base: &'static str) -> Self {
        Self {
            base_variable,
            base,
            bases: &[],
            own_hosts: &[],
            scope: &[],
            places: &[],
        }
    }
}

impl AddressPart {
    /// Creates a part of letters, digits, `-` and `_`.
    pub(crate) const fn new(name: &'static str, variable: &'static str) -> Self {
        Self {
            name,
            variable,
            punctuation: &[],
        }
    }
}

/// Returns the host of a URL, without its port.
///
/// ```text
/// https://user@api.openai.com:443/v1?a   api.openai.com
/// localhost:8080                         localhost
/// https://x.ai.                          x.ai
/// ```
pub(super) fn host(base: &str) -> &str {
    let base = base.trim();
    let behind = base.split_once("://").map_or(base, |(_, rest)| rest);
    let authority = behind
        .split(['/', '?', '#', '\\'])
        .next()
        .unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |it| it.1);
    // An address of IPv6 has colons itself, and is no name.
    let name = host.split(':').next().unwrap_or_default();
    name.strip_suffix('.').unwrap_or(name)
}

/// Returns true if a host is a domain or one below it.
///
/// `my.openai.com` is within `openai.com`, `notopenai.com` is not. Both are in lower case.
pub(super) fn is_within(host: &str, domain: &str) -> bool {
    let below = host.strip_suffix(domain);
    below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
}
