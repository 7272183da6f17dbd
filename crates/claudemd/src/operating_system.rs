//! The three platforms' path rules, as a value.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The operating system whose path rules apply.
///
/// Functions take this as a value, so that one platform can test the rules of
/// all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatingSystem {
    /// Linux, and every other Unix.
    Linux,
    /// macOS, whose file systems commonly ignore case.
    MacOs,
    /// Windows.
    Windows,
}

/// [`OperatingSystem::CURRENT`].
impl Default for OperatingSystem {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl OperatingSystem {
    /// The platform that this was built for.
    pub const CURRENT: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// Returns where managed settings usually are.
    pub fn managed_dir(self) -> &'static str {
        match self {
            Self::Linux => "/etc/claude-code",
            Self::MacOs => "/Library/Application Support/ClaudeCode",
            Self::Windows => r"C:\Program Files\ClaudeCode",
        }
    }

    /// Returns true if names that differ only in letter case usually are the
    /// same name.
    pub(crate) fn ignores_case(self) -> bool {
        self != Self::Linux
    }

    /// Returns true if two names are the same, up to ASCII case if names ignore
    /// it.
    pub(crate) fn same_name(self, one: &[u8], other: &[u8]) -> bool {
        if self.ignores_case() { one.eq_ignore_ascii_case(other) } else { one == other }
    }

    /// Returns one spelling for all names that are the same.
    pub(crate) fn folded(self, name: &[u8]) -> Cow<'_, [u8]> {
        if self.ignores_case() {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        }
    }

    fn is_separator(self, c: char) -> bool {
        c == '/' || (self == Self::Windows && c == '\\')
    }

    /// Returns the directory that an import's path is relative to.
    pub(crate) fn import_target(self, path: &str) -> ImportTarget<'_> {
        let below_home = path.strip_prefix('~').and_then(|rest| {
            let below = rest.strip_prefix(|c| self.is_separator(c));
            below.or((rest.is_empty()).then_some(rest))
        });
        if let Some(below) = below_home {
            return ImportTarget::Home(below);
        }
        let drive = match path.as_bytes() {
            [letter, b':', ..] => self == Self::Windows && letter.is_ascii_alphabetic(),
            _ => false,
        };
        if drive || path.starts_with(|c| self.is_separator(c)) {
            ImportTarget::Absolute(path)
        } else {
            ImportTarget::Relative(path)
        }
    }

    /// Returns `path` relative to `base`, with `/` between its parts, as globs
    /// are matched; `None` if it is not below `base`. Both are absolute and
    /// plain. `base` itself becomes the empty path.
    ///
    /// In bytes, since a name need not be UTF-8.
    pub(crate) fn relative(self, base: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let separator = |byte: &u8| self.is_separator(char::from(*byte));
        let mut parts = path.split(separator).filter(|part| !part.is_empty());
        for part in base.split(separator).filter(|part| !part.is_empty()) {
            let other = parts.next()?;
            if !self.same_name(part, other) {
                return None;
            }
        }
        Some(parts.collect::<Vec<_>>().join(&b'/'))
    }
}

/// How an import's path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportTarget<'a> {
    Home(&'a str),
    Absolute(&'a str),
    /// At the importing file's directory.
    Relative(&'a str),
}

#[cfg(test)]
mod tests {
    use super::{ImportTarget, ImportTarget::*, OperatingSystem, OperatingSystem::*};

    const ALL: [OperatingSystem; 3] = [Linux, MacOs, Windows];

    #[test]
    fn import_targets() {
        let table: [(&str, [ImportTarget<'_>; 3]); 9] = [
            ("a/b.md", [Relative("a/b.md"); 3]),
            ("./a", [Relative("./a"); 3]),
            ("../a", [Relative("../a"); 3]),
            ("/a", [Absolute("/a"); 3]),
            ("~/a", [Home("a"); 3]),
            ("~", [Home(""); 3]),
            (r"~\a", [Relative(r"~\a"), Relative(r"~\a"), Home("a")]),
            (r"C:\a", [Relative(r"C:\a"), Relative(r"C:\a"), Absolute(r"C:\a")]),
            (r"\\s\a", [Relative(r"\\s\a"), Relative(r"\\s\a"), Absolute(r"\\s\a")]),
        ];
        for (path, targets) in table {
            for (platform, target) in ALL.into_iter().zip(targets) {
                assert_eq!(platform.import_target(path), target, "{path} on {platform:?}");
            }
        }
    }

    #[test]
    fn relative_paths() {
        let table: [(&str, &str, [Option<&str>; 3]); 9] = [
            ("/p", "/p/a/b", [Some("a/b"); 3]),
            ("/p/", "/p", [Some(""); 3]),
            ("/", "/a", [Some("a"); 3]),
            ("/p", "/pa/b", [None; 3]),
            ("/p/a", "/p", [None; 3]),
            ("/P", "/p/a", [None, Some("a"), Some("a")]),
            (r"C:\p", r"c:\P\a\b", [None, None, Some("a/b")]),
            (r"C:\p", r"D:\p\a", [None; 3]),
            (r"\\s\p", r"\\s\p\a/b", [None, None, Some("a/b")]),
        ];
        for (base, path, expected) in table {
            for (platform, expected) in ALL.into_iter().zip(expected) {
                let found = platform
                    .relative(base.as_bytes(), path.as_bytes())
                    .map(|found| String::from_utf8(found).unwrap());
                assert_eq!(found.as_deref(), expected, "{path} from {base} on {platform:?}");
            }
        }
    }

    #[test]
    fn managed_directories() {
        assert_eq!(
            ALL.map(OperatingSystem::managed_dir),
            [
                "/etc/claude-code",
                "/Library/Application Support/ClaudeCode",
                r"C:\Program Files\ClaudeCode"
            ]
        );
    }
}
