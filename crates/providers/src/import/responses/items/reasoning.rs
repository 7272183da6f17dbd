//! Reasoning and summaries, sealed by the provider of the model.
//!
//! The whole item (id, summary, content, encrypted content) is packed into the signature of one
//! thinking block, so that a later request to the same vendor has the same item.

use aside_messages::wire::Role;
use aside_models::find;

use super::Items;
use crate::answer::sealed;
use crate::import::Result;
use crate::import::conversation::thinking;
use crate::import::object::Object;
use crate::provider::Provider;
use crate::provider_spec::{ProviderSpec, WireDialect};
use crate::responses::{Reasoning, seal, seal_compaction};

/// Returns the seal of the reasoning of the provider that has the model; a
/// history without a model counts as OpenAI's.
///
/// The seal is the beginning of signatures, `openai-responses:` or `xai-responses:`.
pub(super) fn seal_of(model: &str) -> &'static str {
    let vendor = find(model).facts.vendor;
    let specs = Provider::ALL.map(Provider::spec);
    let seal = |spec: &&'static ProviderSpec| {
        spec.wires.iter().find_map(|it| match it.wire {
            WireDialect::Responses(dialect) => Some(dialect.seal),
            _ => None,
        })
    };
    let mut of_vendor = specs.iter().filter(|spec| spec.vendor == vendor);
    let found = of_vendor.find_map(seal).or_else(|| specs.iter().find_map(seal));
    found.expect("a provider speaks Responses")
}

impl Items {
    /// Reads a reasoning item.
    ///
    /// ```text
    /// summary or content, encrypted    thinking with the text and the sealed item
    /// encrypted only                   redacted_thinking with the sealed item
    /// text only                        thinking without a signature, reported
    /// neither                          no block, reported
    /// ```
    ///
    /// Several summaries or contents are joined by blank lines; the summary has precedence.
    pub(super) fn reasoning(&mut self, item: &mut Object<'_>) -> Result<()> {
        let path = item.path("encrypted_content");
        let id = item.string("id")?;
        let mut texts = |key: &str| -> Result<Vec<String>> {
            let parts = item.objects(key)?.into_iter();
            parts.map(|mut part| part.required("text")).collect()
        };
        let (summary, content) = (texts("summary")?, texts("content")?);
        let encrypted = item.string("encrypted_content")?;
        let shown = if summary.is_empty() { &content } else { &summary };
        let text = shown.join("\n\n");
        let signature = match &encrypted {
            Some(encrypted) => {
                let item = Reasoning::new(
                    id.as_deref(),
                    summary.iter().map(String::as_str),
                    content.iter().map(String::as_str),
                    Some(encrypted),
                );
                seal(self.seal, &item)
            }
            None => {
                let what = "the reasoning cannot return to the server without this";
                item.lost(path, what);
                String::new()
            }
        };
        let block = match (text.is_empty(), signature.is_empty()) {
            (true, true) => None,
            (true, false) => Some(sealed(signature)),
            (false, _) => Some(thinking(&text, signature)),
        };
        self.conversation.add(Role::Assistant, block, item.place());
        Ok(())
    }

    /// Reads a summary of the conversation before it, which only its server can read.
    ///
    /// # Errors
    /// If it has no content.
    pub(super) fn compaction(&mut self, item: &mut Object<'_>) -> Result<()> {
        let (id, content) = (item.string("id")?, item.required("encrypted_content")?);
        let block = sealed(seal_compaction(self.seal, id, content));
        self.conversation.add(Role::Assistant, [block], item.place());
        Ok(())
    }
}
