use clap::ValueEnum;

/// The form of diagnostics on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticsForm {
    /// A line of text for each.
    Text,
    /// A JSON object on a line for each.
    Json,
}

/// When text for people is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// If the terminal and the environment want it.
    #[default]
    Auto,
    Always,
    Never,
}
