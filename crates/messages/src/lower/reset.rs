use std::fmt;

/// The reason why a request does not continue the bytes of the one before it.
///
/// After a reset the provider's prompt cache finds nothing of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrefixReset {
    /// The conversation is not a continuation of the one lowered last.
    Forked,
    /// A boundary was appended: entries before it are no longer sent.
    Boundary,
    /// An entry that was sent has been snipped.
    Snip,
    /// The request would hold more images and documents than it may.
    MediaLimit,
    /// The options changed.
    Options,
    /// A tool that results refer to was added or removed.
    Tools,
    /// The system prompt changed. Lowering never reports it; it is for callers
    /// who know the prompt.
    Prompt,
}

impl PrefixReset {
    /// Returns the name used in files: `forked`, `boundary`, `snip`,
    /// `media_limit`, `options`, `tools` or `prompt`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forked => "forked",
            Self::Boundary => "boundary",
            Self::Snip => "snip",
            Self::MediaLimit => "media_limit",
            Self::Options => "options",
            Self::Tools => "tools",
            Self::Prompt => "prompt",
        }
    }
}

impl fmt::Display for PrefixReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forked => "another conversation",
            Self::Boundary => "a boundary",
            Self::Snip => "a snip",
            Self::MediaLimit => "too many images and documents",
            Self::Options => "other options",
            Self::Tools => "other tools",
            Self::Prompt => "another system prompt",
        })
    }
}
