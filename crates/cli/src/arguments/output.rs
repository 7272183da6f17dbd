//! The values of the global options that set the form of the output.

use clap::ValueEnum;

/// The format of diagnostics on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticsForm {
    /// One line of text each.
    Text,
    /// One JSON object per line each.
    Json,
}

/// The use of colors in text output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// If the output is a terminal, as far as the environment allows.
    #[default]
    Auto,
    Always,
    Never,
}
