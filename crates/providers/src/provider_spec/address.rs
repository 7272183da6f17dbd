//! A provider's address: its base URL, and the parts that you name.

/// A provider's address.
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
    /// Which variable to set to replace the default base URL.
    pub base_variable: &'static str,
    /// The default base URL; `{name}` is replaced by an [`AddressPart`].
    pub base: &'static str,
    /// Pairs to look up the first part's value in, each with a base URL; for other values, you get
    /// [`Address::base`].
    pub bases: &'static [(&'static str, &'static str)],
    /// Which host name suffixes are the provider's own, such as `openai.com`. If your server has
    /// another name, it is [`ServerKind::Compatible`](crate::ServerKind::Compatible). Empty to
    /// count every server as the provider's own.
    pub own_hosts: &'static [&'static str],
    /// Path segments to append to the base, even one that you configured; `{name}` is replaced by
    /// an [`AddressPart`].
    pub scope: &'static [&'static str],
    /// The values that you need besides the base. Each is named in `base` or in `scope`.
    pub places: &'static [AddressPart],
}

/// A part of the address that you name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPart {
    /// Such as `region`. In a template it is in braces.
    pub name: &'static str,
    /// Which variable to set, such as `AWS_REGION`.
    pub variable: &'static str,
    /// Which bytes to allow besides letters, digits, `-` and `_`. This set is closed so that a
    /// value cannot leave its place in the URL.
    pub punctuation: &'static [u8],
}

impl Address {
    /// Creates an address without parts for you to name.
    ///
    /// Every server counts as the provider's own.
    #[must_use]
    pub const fn fixed(base_variable: &'static str, base: &'static str) -> Self {
        Self { base_variable, base, bases: &[], own_hosts: &[], scope: &[], places: &[] }
    }
}

impl AddressPart {
    /// Creates a part that allows letters, digits, `-` and `_`.
    pub(crate) const fn new(name: &'static str, variable: &'static str) -> Self {
        Self { name, variable, punctuation: &[] }
    }
}

/// Returns a URL's host, without its port.
///
/// ```text
/// https://user@api.openai.com:443/v1?a   api.openai.com
/// localhost:8080                         localhost
/// https://x.ai.                          x.ai
/// ```
pub(super) fn host(base: &str) -> &str {
    let base = base.trim();
    let behind = base.split_once("://").map_or(base, |(_, rest)| rest);
    let authority = behind.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |it| it.1);
    // IPv6 addresses have colons themselves, and are not names.
    let name = host.split(':').next().unwrap_or_default();
    name.strip_suffix('.').unwrap_or(name)
}

/// Returns true if the host is this domain or a subdomain.
///
/// `my.openai.com` is within `openai.com`, `notopenai.com` is not. Both are in lower case.
pub(super) fn is_within(host: &str, domain: &str) -> bool {
    let below = host.strip_suffix(domain);
    below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
}
