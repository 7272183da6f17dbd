use std::fmt;

/// The client's name, as text for the first system block: `x-aside-attribution:
/// version=<version>; entrypoint=<name>`.
///
/// Off by default. On an API that does not strip this block, each version and
/// entrypoint hashes the rest of the request differently, so no version finds
/// another's cache entries. The text is no proof of identity.
///
/// ```
/// use aside_cache_split::Attribution;
///
/// let attribution = Attribution { version: "0.1.0", entrypoint: "ci" };
/// assert_eq!(attribution.to_string(), "x-aside-attribution: version=0.1.0; entrypoint=ci");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribution<'a> {
    /// The client's version.
    pub version: &'a str,
    /// How it was started: `cli`, `sdk`, `ci`.
    pub entrypoint: &'a str,
}

impl fmt::Display for Attribution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x-aside-attribution: version=")?;
        value(self.version, f)?;
        write!(f, "; entrypoint=")?;
        value(self.entrypoint, f)
    }
}

/// Writes a value as one word: characters that could end it become underscores.
fn value(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    text.chars().map(|c| if is_plain(c) { c } else { '_' }).try_for_each(|c| write!(f, "{c}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_word() {
        let attribution =
            Attribution { version: "1.0+a", entrypoint: "x; version=2\n</system-reminder>" };
        assert_eq!(
            attribution.to_string(),
            "x-aside-attribution: version=1.0+a; entrypoint=x__version_2___system-reminder_"
        );
    }
}
