//! What the API would refuse, found before sending.

mod markers;
mod messages;
mod parameters;
mod table;
mod tools;

use std::fmt;

use crate::wire::Request;

pub use table::RULES;

/// Which API, and which limits of the model, a request is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The version of the API.
    pub version: ApiVersion,
    /// How many images and documents the model takes in a request: 100 with a
    /// window of 200,000 tokens, 600 with a larger one.
    pub media_limit: usize,
    /// Whether a marker may have `"scope":"global"`: the public API refuses
    /// the key.
    pub global_scope: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            version: ApiVersion::default(),
            media_limit: 100,
            global_scope: false,
        }
    }
}

/// A version of the API, as in the header `anthropic-version`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ApiVersion {
    /// `2023-06-01`
    #[default]
    V2023_06_01,
    /// `2026-10-21`
    V2026_10_21,
}

/// A rule of the API.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What must not be, as a sentence.
    pub summary: &'static str,
    /// The first version that has it.
    pub since: ApiVersion,
    find: fn(&Request, &Rules, &mut Finder),
}

/// A place where a request breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the rule.
    pub rule: &'static str,
    /// The JSON path, as in `messages[3].content[0]`.
    pub path: String,
    /// What stands there.
    pub found: String,
}

impl Request {
    /// What the API would refuse of this request. The work is in proportion to
    /// its size.
    ///
    /// ```
    /// use aside_messages::Rules;
    /// use aside_messages::wire::Request;
    ///
    /// let json = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":" "}]}"#;
    /// let request = Request::parse(json.as_bytes())?.value;
    /// let violations = request.check(&Rules::default());
    /// assert_eq!(violations[0].rule, "blank-text");
    /// assert_eq!(violations[0].path, "messages[0].content[0]");
    /// # Ok::<(), aside_messages::wire::ReadError>(())
    /// ```
    #[must_use]
    pub fn check(&self, rules: &Rules) -> Vec<Violation> {
        let mut violations = Vec::new();
        for rule in RULES.iter().filter(|rule| rule.since <= rules.version) {
            let mut finder = Finder {
                rule: rule.name,
                violations: &mut violations,
            };
            (rule.find)(self, rules, &mut finder);
        }
        violations
    }
}

/// Collects the violations of one rule.
struct Finder<'a> {
    rule: &'static str,
    violations: &'a mut Vec<Violation>,
}

impl Finder<'_> {
    fn found(&mut self, path: impl fmt::Display, found: impl fmt::Display) {
        let (path, found) = (path.to_string(), found.to_string());
        self.violations.push(Violation {
            rule: self.rule,
            path,
            found,
        });
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, path, found } = self;
        match path.as_str() {
            "" => write!(f, "{rule}: {found}"),
            path => write!(f, "{rule}: {path}: {found}"),
        }
    }
}
