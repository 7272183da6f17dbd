//! What the checks of several wires have in common.

use aside_json::{Kind, Tape, Value};
use aside_models::Platform;

use super::{Checker, MAX_FINDINGS};
use crate::node::Node;
use crate::of;
use crate::of::schema::{SchemaUse, faults_in};
use crate::table;

impl Checker {
    /// Reports a tool name that the wire's servers refuse. A value that is no string is not
    /// reported here.
    pub(crate) fn tool_name(&mut self, name: &Node<'_>) {
        let takes_name = |text: &str| of::tool::takes_name(self.wire, text);
        if name.text().is_some_and(|text| !takes_name(&text)) {
            self.add(&table::TOOL_NAME, name.path(), name.excerpt());
        }
    }

    /// Reports a `data:` URL whose data are no base64.
    pub(crate) fn data_url(&mut self, url: &Node<'_>) {
        let text = url.text().unwrap_or_default();
        let data = text.strip_prefix("data:");
        let is_base64 = |(_, data): (_, &str)| of::message::is_base64(data);
        if data.is_some_and(|it| !it.split_once(";base64,").is_some_and(is_base64)) {
            self.add(&table::MEDIA_DATA, url.path(), url.excerpt());
        }
    }

    /// Reports each key that an object in this value has twice, where it occurs the second time.
    /// Whether the API refuses a doubled key outside its types is unknown.
    pub(crate) fn doubled_keys(&mut self, value: Value<'_>) {
        self.doubled_keys_at(value, |path| path);
    }

    /// Reports the keys that a call has twice in its `arguments`, which are JSON in a string.
    pub(crate) fn arguments(&mut self, call: &Node<'_>) {
        let text = call.text_of("arguments");
        let tape = Tape::parse(text.as_bytes());
        if let Ok(tape) = tape
            && tape.root().kind() == Kind::Object
        {
            let at = |path| call.at(&format!("arguments.{path}"));
            self.doubled_keys_at(tape.root(), at);
        }
    }

    fn doubled_keys_at(&mut self, value: Value<'_>, at: impl Fn(String) -> String) {
        for value in value.doubled_keys() {
            // The time to find a path grows with the body.
            if self.findings.len() < MAX_FINDINGS {
                self.add_unknown(&table::DOUBLED_KEY, at(value.path()), "the key again");
            } else {
                self.surplus += 1;
            }
        }
    }

    /// Reports what the servers refuse in a schema.
    pub(crate) fn schema(&mut self, of: SchemaUse, schema: Value<'_>) {
        for fault in faults_in(of, schema) {
            // The time to find a path grows with the body.
            if self.findings.len() < MAX_FINDINGS {
                self.add_expecting(fault.rule, fault.path(), fault.found, fault.expected);
            } else {
                self.surplus += 1;
            }
        }
    }

    /// Reports what OpenAI's and Google's servers refuse in a function's schema, and counts the
    /// schema: not all their limits are documented.
    pub(crate) fn function_schema(&mut self, of: SchemaUse, schema: Option<Node<'_>>) {
        if let Some(schema) = schema {
            if schema.value.kind() != Kind::Object {
                let found = schema.excerpt();
                self.add_expecting(&table::VALUE_TYPE, schema.path(), found, "an object");
            }
            self.schema(of, schema.value);
        }
        let reason = "only the known limits of the schema of a tool are checked";
        self.skip("tool-schemas", 1, reason);
    }

    /// Reports a body without a model for OpenAI's own server. Azure's has it in the address.
    pub(crate) fn model_required(&mut self, root: &Node<'_>) {
        if self.model.is_none() && self.platform() == Some(Platform::OpenAi) {
            let found = root.get("model").map_or_else(|| "no key".to_owned(), |it| it.excerpt());
            self.add(&table::MISSING_KEY, "model", found);
        }
    }

    /// Reports more tools than OpenAI's servers take.
    pub(crate) fn tool_count(&mut self, root: &Node<'_>, key: &'static str) {
        let count = root.list(key).count();
        if count > of::tool::MAX_OPENAI_TOOLS {
            self.add(&table::TOOL_COUNT, key, format!("{count} tools"));
        }
    }
}
