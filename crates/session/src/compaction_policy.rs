//! When to compact. `Loop` in `aside-agent` applies this; a session only
//! announces it to the model.

use serde::{Deserialize, Serialize};

use crate::summary_form::SummaryForm;

/// When and how to replace a conversation by a summary.
///
/// ```
/// use aside_session::{CompactionMethod, CompactionPolicy};
///
/// let policy = CompactionPolicy {
///     at: 0.8,
///     instructions: Some("Keep the list of open questions.".to_owned()),
///     ..CompactionPolicy::default()
/// };
/// assert_eq!(policy.method, CompactionMethod::Auto);
/// assert_eq!("api".parse(), Ok(CompactionMethod::Api));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompactionPolicy {
    /// Which share of the context window, less the longest answer, a request
    /// may fill.
    pub at: f64,
    /// Who writes the summary.
    pub method: CompactionMethod,
    /// Further instructions for the summary.
    pub instructions: Option<String>,
}

aside_text::names! {
    /// Who writes a conversation's summary.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CompactionMethod {
        /// The API, if it compacts this model's conversations; otherwise, or if
        /// that fails, the model answers a request for a summary.
        #[default]
        Auto = "auto",
        /// Only the API.
        Api = "api",
        /// Only the model, by a request after the same prefix.
        Request = "request",
    }
}

impl CompactionMethod {
    /// Returns true if a summary may have this form.
    #[must_use]
    pub fn allows(self, form: SummaryForm) -> bool {
        match self {
            Self::Auto => true,
            Self::Api => form == SummaryForm::Api,
            Self::Request => form != SummaryForm::Api,
        }
    }
}

impl Default for CompactionPolicy {
    fn default() -> Self {
        Self { at: 0.85, method: CompactionMethod::default(), instructions: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary_form::SummaryForm::{Api, Request, Shortened};

    #[test]
    fn methods_have_names_and_forms() {
        let check = |name: &str, allowed: [bool; 3]| {
            let method: CompactionMethod = name.parse().unwrap();
            assert_eq!(method.as_str(), name);
            assert_eq!([Api, Request, Shortened].map(|it| method.allows(it)), allowed);
        };
        check("auto", [true; 3]);
        check("api", [true, false, false]);
        check("request", [false, true, true]);
        assert!("local".parse::<CompactionMethod>().is_err());
    }
}
