use std::ffi::OsStr;
use std::io::IsTerminal;

use aside_host::Environment;

/// Whether text for people is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Coloured,
    Plain,
}

/// What a piece of text is to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// What the line is about.
    Strong,
    /// What one looks for second.
    Kind,
    /// What one may look over.
    Faint,
    /// What may be wrong.
    Warning,
}

impl Paint {
    /// What fits stdout: colours on a terminal only, and not where
    /// [`NO_COLOR`](https://no-color.org) is set or the terminal has none.
    pub(crate) fn of_stdout(environment: &Environment) -> Self {
        Self::fitting(std::io::stdout().is_terminal(), environment)
    }

    fn fitting(is_terminal: bool, environment: &Environment) -> Self {
        let refused = environment.get("NO_COLOR").is_some_and(|it| !it.is_empty());
        let dumb = environment.get("TERM") == Some(OsStr::new("dumb"));
        if is_terminal && !refused && !dumb {
            Self::Coloured
        } else {
            Self::Plain
        }
    }

    /// The text, which holds no control characters, in its tone.
    pub(crate) fn text(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Kind => "36",
            Tone::Faint => "2",
            Tone::Warning => "33",
        };
        match self {
            Self::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
            Self::Plain => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_on_a_terminal_that_wants_them() {
        let check = |is_terminal, variables: &[(&str, &str)], expected| {
            let environment = variables.iter().copied().collect();
            assert_eq!(Paint::fitting(is_terminal, &environment), expected);
        };
        check(true, &[], Paint::Coloured);
        check(true, &[("NO_COLOR", "")], Paint::Coloured);
        check(true, &[("NO_COLOR", "0")], Paint::Plain);
        check(true, &[("TERM", "dumb")], Paint::Plain);
        check(false, &[], Paint::Plain);
    }

    #[test]
    fn a_tone_ends_with_its_text() {
        assert_eq!(Paint::Coloured.text(Tone::Strong, "a"), "\x1b[1ma\x1b[0m");
        assert_eq!(Paint::Plain.text(Tone::Strong, "a"), "a");
    }
}
