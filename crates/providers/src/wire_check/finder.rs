//! The violations of one body, and the facts by which its rules are chosen.

use aside_messages::{Checked, NotChecked, Rules, Violation};
use aside_models::{Known, ModelFacts, Platform, Vendor, Wire, find, find_on};

use super::node::Node;
use super::table::WireRule;

/// Collects the violations of one body.
pub(super) struct Finder {
    /// The wire of the body.
    wire: Wire,
    /// The platform that the caller named.
    platform: Option<Platform>,
    /// The model that the caller named, else that of the body.
    model: Option<String>,
    /// The facts of the model, if the catalogue has it.
    facts: Option<&'static ModelFacts>,
    /// The result so far.
    checked: Checked,
}

impl Finder {
    /// Creates a finder without violations. Only the platform and the model of `rules`
    /// are used.
    pub(super) fn new(wire: Wire, rules: &Rules) -> Self {
        Self {
            wire,
            platform: rules.platform,
            model: rules.model.clone(),
            facts: None,
            checked: Checked::default(),
        }
    }

    /// Reads the model of the body, and returns true if the server is one whose rules are
    /// known:
    ///
    /// - the platform is the vendor's own, or
    /// - no platform is named, and the model is the vendor's or none is named.
    ///
    /// A body of another server, and a model without facts, are counted as not checked. A
    /// prefix `models/`, as Gemini's paths have it, is ignored.
    pub(super) fn begin(&mut self, root: &Node<'_>) -> bool {
        let model = root.text_of("model");
        if self.model.is_none() && !model.is_empty() {
            self.model = Some(model.to_owned());
        }
        let Some(model) = self.model.clone() else {
            if !self.is_own_platform() && self.platform.is_some() {
                return self.other_server();
            }
            let reason = "the body names no model, so the rules of models are not applied";
            self.skip("model-rules", 1, reason);
            return true;
        };
        let found = match self.platform {
            Some(platform) => find_on(platform, model.trim_start_matches("models/")),
            None => find(model.trim_start_matches("models/")),
        };
        let is_own_model = self.vendor() == found.facts.vendor;
        if !self.is_own_platform() && (self.platform.is_some() || !is_own_model) {
            return self.other_server();
        }
        match found.known {
            Known::Known => self.facts = Some(found.facts),
            _ => {
                let reason = format!("{model:?} is not in the catalogue of models");
                self.skip("model-rules", 1, reason);
            }
        }
        true
    }

    /// Returns the vendor that defines the wire.
    fn vendor(&self) -> Vendor {
        match self.wire {
            Wire::GenerateContent => Vendor::Google,
            _ => Vendor::OpenAi,
        }
    }

    /// Returns true if the platform is that of the vendor; Azure counts as OpenAI's.
    fn is_own_platform(&self) -> bool {
        match self.wire {
            Wire::GenerateContent => self.platform == Some(Platform::Gemini),
            _ => matches!(self.platform, Some(Platform::OpenAi | Platform::Azure)),
        }
    }

    /// Counts the body as not checked, and returns false.
    fn other_server(&mut self) -> bool {
        let vendor = self.vendor();
        let model = match &self.model {
            Some(model) => format!(" of {model:?}"),
            None => String::new(),
        };
        let reason = format!("the server{model} may have other rules than {vendor}'s own");
        self.skip("server-rules", 1, reason);
        false
    }

    /// Returns the facts of the model, if the catalogue has it.
    pub(super) fn facts(&self) -> Option<&'static ModelFacts> {
        self.facts
    }

    /// Reports a violation of a rule. `found` is the value, or a short text about it.
    pub(super) fn add(
        &mut self,
        rule: &'static WireRule,
        path: impl Into<String>,
        found: impl Into<String>,
    ) {
        let mut violation = Violation::new(rule.name, path, found);
        violation.level = rule.level;
        rule.expected.clone_into(&mut violation.expected);
        self.checked.violations.push(violation);
    }

    /// Counts conditions that one body does not decide. `topic` names them in kebab case,
    /// and a count of 0 is not recorded.
    pub(super) fn skip(&mut self, topic: &'static str, count: usize, reason: impl Into<String>) {
        if count > 0 {
            let skipped = NotChecked::new(topic, count, reason);
            self.checked.not_checked.push(skipped);
        }
    }

    /// Returns the result, in the order in which it was found.
    pub(super) fn finish(self) -> Checked {
        self.checked
    }
}
