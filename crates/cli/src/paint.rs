//! Colours in text output.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::sync::OnceLock;

use aside_host::EnvVars;

use crate::arguments::ColorChoice;

/// The `--color` value. Set once, before the command runs.
static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

/// Sets when to colour output.
pub(crate) fn configure(choice: ColorChoice) {
    let _ = CHOICE.set(choice);
}

fn choice() -> ColorChoice {
    CHOICE.get().copied().unwrap_or_default()
}

/// Whether to colour text output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Tones are escape sequences.
    Coloured,
    /// Tones have no effect.
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The line's subject.
    Strong,
    /// Secondary information.
    Kind,
    /// Background information.
    Faint,
    /// A possible fault.
    Warning,
    /// What makes a command fail, or costs money: a miss, the byte that
    /// changed, a failed scenario.
    Fault,
}

impl Paint {
    /// Returns the setting for stdout: colors only when its terminal has them,
    /// and not when [`NO_COLOR`](https://no-color.org) is set.
    pub(crate) fn of_stdout() -> Self {
        Self::of(std::io::stdout().is_terminal())
    }

    /// Returns the setting for stderr, which is found once: a run writes many lines.
    pub(crate) fn of_stderr() -> Self {
        static FOUND: OnceLock<Paint> = OnceLock::new();
        *FOUND.get_or_init(|| Self::of(std::io::stderr().is_terminal()))
    }

    fn of(is_terminal: bool) -> Self {
        Self::fitting(choice(), is_terminal, &EnvVars::of_process())
    }

    /// Returns the setting for an output: `--color` decides, else `NO_COLOR`,
    /// then `CLICOLOR_FORCE`, then whether it is a terminal other than `dumb`.
    /// An empty variable counts as not set.
    fn fitting(choice: ColorChoice, is_terminal: bool, environment: &EnvVars) -> Self {
        match choice {
            ColorChoice::Always => return Self::Coloured,
            ColorChoice::Never => return Self::Plain,
            ColorChoice::Auto => {}
        }
        let forced =
            environment.get("CLICOLOR_FORCE").is_some_and(|it| !it.is_empty() && it != "0");
        let refused = environment.get("NO_COLOR").is_some_and(|it| !it.is_empty());
        let dumb = environment.get("TERM") == Some(OsStr::new("dumb"));
        if !refused && (forced || (is_terminal && !dumb)) { Self::Coloured } else { Self::Plain }
    }

    /// Returns the text in its tone. The text must not contain control
    /// characters; the sequence ends with it.
    pub(crate) fn text(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Kind => "36",
            Tone::Faint => "2",
            Tone::Warning => "33",
            Tone::Fault => "31",
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
    fn a_terminal_with_colours_gets_them() {
        let check = |is_terminal, variables: &[(&str, &str)], expected| {
            let environment = variables.iter().copied().collect();
            let found = Paint::fitting(ColorChoice::Auto, is_terminal, &environment);
            assert_eq!(found, expected);
            let always = Paint::fitting(ColorChoice::Always, is_terminal, &environment);
            assert_eq!(always, Paint::Coloured);
            let never = Paint::fitting(ColorChoice::Never, is_terminal, &environment);
            assert_eq!(never, Paint::Plain);
        };
        check(true, &[], Paint::Coloured);
        check(true, &[("NO_COLOR", "")], Paint::Coloured);
        check(true, &[("NO_COLOR", "0")], Paint::Plain);
        check(true, &[("TERM", "dumb")], Paint::Plain);
        check(false, &[], Paint::Plain);
        check(false, &[("CLICOLOR_FORCE", "1")], Paint::Coloured);
        check(false, &[("CLICOLOR_FORCE", "0")], Paint::Plain);
        let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        check(true, &both, Paint::Plain);
    }

    #[test]
    fn a_tone_ends_with_its_text() {
        assert_eq!(Paint::Coloured.text(Tone::Strong, "a"), "\x1b[1ma\x1b[0m");
        assert_eq!(Paint::Plain.text(Tone::Strong, "a"), "a");
    }
}
