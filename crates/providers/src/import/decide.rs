//! The decision which wire a body is for, and its reason.
//!
//! | first of | wire |
//! |---|---|
//! | the wire that is set | that one |
//! | the platform that is set | Claude's: Messages; OpenAI, Azure and xAI: Responses or chat, by shape; Gemini: its own or chat, by shape |
//! | the address of the request | that of the endpoint |
//! | the platform of the address | as above |
//! | the vendor of the model | as the platform of the vendor |
//! | the shape of the body | [`Form::of`] |
//!
//! Once decided, a key of another wire is a fault of the body. A client that was
//! half ported to Claude and still sends `stop` is told so, and its body is not
//! read as Chat Completions because of it.
//!
//! A compatible server may serve any model on any wire, so neither its platform
//! nor the model decides there. The same holds for a model id with the prefix of
//! a gateway, such as `anthropic/claude-opus-5`.

use std::fmt;

use aside_models::{Platform, Vendor, find};

use super::Form;
use crate::read::{Members, Text};

/// Facts about a request that its body does not contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct WireHints<'a> {
    /// The wire, if the user set it.
    pub wire: Option<Form>,
    /// The platform, if the user set it.
    pub platform: Option<Platform>,
    /// The wire of the address to which the request was sent.
    pub address: Option<Form>,
    /// The platform of that address.
    pub address_platform: Option<Platform>,
    /// The model, if it differs from the one in the body.
    pub model: Option<&'a str>,
}

/// The wire of a body, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WireDecision {
    /// The wire.
    pub form: Form,
    /// What decided it.
    pub reason: WireReason,
}

/// What decided the wire of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WireReason {
    /// The wire that the user set.
    Wire,
    /// The platform that the user set.
    Platform,
    /// The address to which the request was sent.
    Address,
    /// The vendor of the model.
    Model,
    /// The keys of the body.
    Shape,
}

impl Form {
    /// Decides which wire a body is for. A body that has no shape of its own
    /// counts as the Messages API's.
    ///
    /// ```
    /// use aside_providers::{Form, WireHints, WireReason};
    ///
    /// let body = br#"{"model":"claude-opus-5","stop":["x"],"messages":[]}"#;
    /// let decision = Form::decide(body, &WireHints::default());
    /// assert_eq!((decision.form, decision.reason), (Form::Messages, WireReason::Model));
    ///
    /// let hints = WireHints { address: Some(Form::ChatCompletions), ..WireHints::default() };
    /// assert_eq!(Form::decide(body, &hints).form, Form::ChatCompletions);
    /// ```
    #[must_use]
    pub fn decide(body: &[u8], hints: &WireHints<'_>) -> WireDecision {
        let decided = |form, reason| WireDecision { form, reason };
        if let Some(form) = hints.wire {
            return decided(form, WireReason::Wire);
        }
        let keys = Keys::read(body);
        if let Some(form) = hints.platform.and_then(|it| keys.form_on(it)) {
            return decided(form, WireReason::Platform);
        }
        let by_address = || hints.address_platform.and_then(|it| keys.form_on(it));
        if let Some(form) = hints.address.or_else(by_address) {
            return decided(form, WireReason::Address);
        }
        // A compatible server may serve any model on any wire.
        let is_compatible =
            [hints.platform, hints.address_platform].contains(&Some(Platform::Compatible));
        let model = hints.model.or(keys.model.as_deref());
        let vendor = model.map(|model| find(model).facts.vendor);
        let platform = vendor.filter(|_| !is_compatible).and_then(platform_of);
        if let Some(form) = platform.and_then(|it| keys.form_on(it)) {
            return decided(form, WireReason::Model);
        }
        decided(Self::of(body).unwrap_or(Self::Messages), WireReason::Shape)
    }
}

impl WireReason {
    /// Returns the name of the reason, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Platform => "platform",
            Self::Address => "address",
            Self::Model => "model",
            Self::Shape => "shape",
        }
    }
}

/// As it follows "because of".
impl fmt::Display for WireReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wire => "the option --wire",
            Self::Platform => "the option --platform",
            Self::Address => "its address",
            Self::Model => "its model",
            Self::Shape => "its keys",
        })
    }
}

/// Returns the platform whose wires the models of a vendor have. `None` for xAI,
/// whose server has the wires of several vendors.
fn platform_of(vendor: Vendor) -> Option<Platform> {
    match vendor {
        Vendor::Anthropic => Some(Platform::FirstParty),
        Vendor::OpenAi => Some(Platform::OpenAi),
        Vendor::Google => Some(Platform::Gemini),
        _ => None,
    }
}

/// The members of a body that tell the wires of one vendor apart.
#[derive(Debug, Default)]
struct Keys {
    /// True if the body is an object. A history alone names neither a wire nor
    /// a model.
    is_object: bool,
    has_messages: bool,
    /// True for a key that only Responses has.
    has_input: bool,
    has_contents: bool,
    model: Option<String>,
}

impl Keys {
    fn read(body: &[u8]) -> Self {
        let Ok(Members(members)) = serde_json::from_slice(body) else {
            return Self::default();
        };
        let has = |names: &[&str]| members.iter().any(|(key, _)| names.contains(&key.as_ref()));
        let model = members.iter().find(|(key, _)| key == "model");
        Self {
            is_object: true,
            has_messages: has(&["messages"]),
            has_input: has(&[
                "input",
                "instructions",
                "max_output_tokens",
                "previous_response_id",
            ]),
            has_contents: has(&["contents"]),
            model: model
                .and_then(|(_, model)| serde_json::from_str(model.get()).ok())
                .map(|Text(model)| model.into_owned()),
        }
    }

    /// Returns the wire of the body on a platform, of those that the platform
    /// has. `None` for a compatible server, and for a history alone on a
    /// platform with several wires.
    fn form_on(&self, platform: Platform) -> Option<Form> {
        match platform {
            _ if platform.is_anthropic() => Some(Form::Messages),
            _ if !self.is_object => None,
            Platform::OpenAi | Platform::Azure | Platform::Xai => {
                let is_responses = self.has_input && !self.has_messages;
                Some(if is_responses {
                    Form::Responses
                } else {
                    Form::ChatCompletions
                })
            }
            // A body of `generateContent` has the model in its address, so one
            // with `messages` is for the chat endpoint of the same server.
            Platform::Gemini if self.has_messages && !self.has_contents => {
                Some(Form::ChatCompletions)
            }
            Platform::Gemini => Some(Form::GenerateContent),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
