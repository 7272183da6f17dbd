use aside_messages::{Checked, NotChecked, Rules, Violation};
use aside_models::{Known, ModelFacts, Platform, Vendor, find, find_on};

use super::node::Node;
use super::table::WireRule;
use crate::import::Form;

/// Collects the violations of one body.
pub(super) struct Finder {
    form: Form,
    platform: Option<Platform>,
    model: Option<String>,
    /// The facts of the model, if the catalogue has it.
    facts: Option<&'static ModelFacts>,
    checked: Checked,
}

impl Finder {
    pub(super) fn new(form: Form, rules: &Rules) -> Self {
        Self {
            form,
            platform: rules.platform,
            model: rules.model.clone(),
            facts: None,
            checked: Checked::default(),
        }
    }

    /// Reads the model, and returns true if the server is one whose rules are
    /// known.
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

    /// Returns the vendor whose server has the wire first.
    fn vendor(&self) -> Vendor {
        match self.form {
            Form::GenerateContent => Vendor::Google,
            _ => Vendor::OpenAi,
        }
    }

    fn is_own_platform(&self) -> bool {
        match self.form {
            Form::GenerateContent => self.platform == Some(Platform::Gemini),
            _ => matches!(self.platform, Some(Platform::OpenAi | Platform::Azure)),
        }
    }

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

    /// Reports a violation.
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

    /// Counts what one body does not decide.
    pub(super) fn skip(&mut self, topic: &'static str, count: usize, reason: impl Into<String>) {
        if count > 0 {
            let skipped = NotChecked::new(topic, count, reason);
            self.checked.not_checked.push(skipped);
        }
    }

    pub(super) fn finish(self) -> Checked {
        self.checked
    }
}
