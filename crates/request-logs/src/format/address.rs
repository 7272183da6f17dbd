//! What an address says about its request.

use crate::exchange::Exchange;

impl Exchange {
    /// Sets the address, and the provider and the model that it names.
    pub(super) fn to(self, url: Option<String>) -> Self {
        let provider = url.as_deref().map(|it| provider_of(it).to_owned());
        Self { provider, model: url.as_deref().and_then(model_of), url, ..self }
    }
}

/// Finds an address's provider by a part of its host or path. The first
/// matching row counts, so narrower ones come first; an address without a match
/// is Anthropic's.
fn provider_of(url: &str) -> &'static str {
    let names = [
        ("bedrock-mantle", "bedrock-messages"),
        ("bedrock", "bedrock"),
        ("/invoke", "bedrock"),
        ("aiplatform", "google-cloud"),
        (":rawPredict", "google-cloud"),
        (":streamRawPredict", "google-cloud"),
        ("generativelanguage", "gemini"),
        (":generateContent", "gemini"),
        (":streamGenerateContent", "gemini"),
        (".azure.com/anthropic", "foundry"),
        ("azure", "azure"),
        ("api.x.ai", "xai"),
        ("/responses", "openai"),
        ("/chat/completions", "openai"),
    ];
    let found = names.iter().find(|(part, _)| url.contains(part));
    found.map_or("anthropic", |it| it.1)
}

/// Returns the model in an address, for wires that do not name it in the body.
///
/// ```text
/// /v1/models/gemini-2.5-pro:generateContent                 gemini-2.5-pro
/// /model/anthropic.claude-opus-4-6-v1%3A0/invoke            anthropic.claude-opus-4-6-v1:0
/// /v1/messages                                              none
/// …/anthropic/models/count-tokens:rawPredict                none
/// ```
fn model_of(url: &str) -> Option<String> {
    let from = ["/model/", "/models/"];
    let rest = from.iter().find_map(|it| url.split_once(it))?.1;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let name = &rest[..end];
    // `gemini-2.5-pro:generateContent`, but `…-v1:0` on Bedrock.
    let (model, method) = name.rsplit_once(':').unwrap_or((name, ""));
    let is_method = method.starts_with(|it: char| it.is_ascii_alphabetic());
    let model = if is_method { model } else { name };
    if model == "count-tokens" {
        return None;
    }
    let escapes = [("%3A", ":"), ("%3a", ":"), ("%2F", "/"), ("%2f", "/")];
    let decode = |name: String, (from, to): &(&str, &str)| name.replace(from, to);
    Some(escapes.iter().fold(model.to_owned(), decode))
}
