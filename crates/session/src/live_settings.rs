//! Settings that are read again while a session runs.

use std::fmt::Debug;

use aside_claudemd::Loader;
use aside_diagnostic::Diagnostic;
use aside_prompt_sections::{Language, OutputStyle};

/// What settings say about the responses of the model, and which instruction files they exclude.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseSettings {
    /// The language to answer in.
    pub language: Option<Language>,
    /// The style of answers.
    pub output_style: Option<OutputStyle>,
    /// A loader with the excludes of instruction files; nothing else of it applies.
    pub instructions: Loader,
    /// The faults of files, except those that were reported before.
    pub diagnostics: Vec<Diagnostic>,
}

/// The source of [`ResponseSettings`]: the settings files, in a program that has some.
///
/// A session reads it before each request, off the runtime, and announces a change at the
/// end of the request.
pub trait LiveSettings: Debug + Send + Sync {
    /// Reads the present values.
    fn read(&self) -> ResponseSettings;
}
