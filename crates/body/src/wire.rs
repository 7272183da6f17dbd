//! Which wire a body is for, and why.
//!
//! | first of | wire |
//! |---|---|
//! | the wire that is set | that one |
//! | the platform that is set | Claude's: Messages; OpenAI, Azure and xAI: Responses or chat, by shape; Gemini: its own or chat, by shape |
//! | the address of the request | that of the endpoint |
//! | the platform of the address | as above |
//! | the vendor of the model | as the platform of the vendor |
//! | the shape of the body | [`of_shape`] |
//!
//! Once this is decided, a key from another wire is a fault in the body. If you port a client to
//! Claude halfway and it still sends `stop`, you are told so; the body is not read as Chat
//! Completions because of it.
//!
//! A compatible server may serve any model on any wire, so neither its platform nor the model
//! decides there. The same holds for a model id with a gateway's prefix, such as
//! `anthropic/claude-opus-5`.

mod shape;

use aside_json::scan::{self, Kind, Member};
use aside_json::{Tape, Value};
use aside_models::{Platform, Vendor, Wire, find};
use std::borrow::Cow;

pub use shape::{of_messages, of_shape};

/// What you know about a request beyond its body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// The wire, if the user set it.
    pub wire: Option<Wire>,
    /// The platform, if the user set it.
    pub platform: Option<Platform>,
    /// The wire, by the address that the request was sent to.
    pub address: Option<Wire>,
    /// The platform, by that address.
    pub address_platform: Option<Platform>,
    /// The model, if it is not the one in the body.
    pub model: Option<&'a str>,
}

/// A body's wire, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The wire.
    pub wire: Wire,
    /// What it was decided by.
    pub reason: Reason,
}

aside_text::names! {
    /// What a body's wire was decided by. It is displayed as it follows "because of".
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Reason {
        /// The user set it.
        Wire = "wire" => "the option --wire",
        /// The platform that the user set.
        Platform = "platform" => "the option --platform",
        /// The address that the request was sent to.
        Address = "address" => "its address",
        /// The model's vendor.
        Model = "model" => "its model",
        /// The body's keys.
        Shape = "shape" => "its keys",
    }
}

/// Decides which wire a body is for. When its shape shows nothing, this is the Messages API.
///
/// ```
/// use aside_body::Wire;
/// use aside_body::wire::{Hints, Reason, decide};
///
/// let body = br#"{"model":"claude-opus-5","stop":["x"],"messages":[]}"#;
/// let decision = decide(body, &Hints::default());
/// assert_eq!((decision.wire, decision.reason), (Wire::Messages, Reason::Model));
///
/// let hints = Hints { address: Some(Wire::ChatCompletions), ..Hints::default() };
/// assert_eq!(decide(body, &hints).wire, Wire::ChatCompletions);
/// ```
#[must_use]
pub fn decide(body: &[u8], hints: &Hints<'_>) -> Decision {
    Keys::read(body).decide(hints)
}

/// Keys that only Bedrock's Converse has.
const CONVERSE_KEYS: [&str; 5] =
    ["modelId", "inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields"];

/// Where each wire has its messages.
pub const MESSAGE_KEYS: [&str; 3] = ["messages", "input", "contents"];

/// Returns the key that holds messages on a wire.
#[must_use]
pub const fn messages_key(wire: Wire) -> &'static str {
    match wire {
        Wire::Responses => "input",
        Wire::GenerateContent => "contents",
        _ => "messages",
    }
}

/// Returns which wire an address takes requests for; `None` if it is no wire's own address.
///
/// ```
/// use aside_body::Wire;
/// use aside_body::wire::of_url;
///
/// assert_eq!(of_url("https://api.openai.com/v1/responses?a=b"), Some(Wire::Responses));
/// assert_eq!(of_url("https://api.openai.com/v1/embeddings"), None);
/// ```
#[must_use]
pub fn of_url(url: &str) -> Option<Wire> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next()?;
    let action = last.rsplit(':').next()?;
    match (last, action) {
        ("completions", _) if path.contains("/chat/") => Some(Wire::ChatCompletions),
        ("responses", _) => Some(Wire::Responses),
        ("messages" | "count_tokens", _) => Some(Wire::Messages),
        (_, "generateContent" | "streamGenerateContent") => Some(Wire::GenerateContent),
        _ => None,
    }
}

/// Returns the platform that has the wires for a vendor's models.
fn platform_of(vendor: Vendor) -> Option<Platform> {
    match vendor {
        Vendor::Anthropic => Some(Platform::FirstParty),
        Vendor::OpenAi => Some(Platform::OpenAi),
        Vendor::Google => Some(Platform::Gemini),
        Vendor::Xai => Some(Platform::Xai),
        _ => None,
    }
}

/// A body's top-level members, read once for several questions. A bare history has none: it names
/// neither a wire nor a model.
///
/// ```
/// use aside_body::Wire;
/// use aside_body::wire::{Hints, Keys};
///
/// let keys = Keys::read(br#"{"model":"gpt-6-sol","input":[],"log":null}"#);
/// assert_eq!(keys.decide(&Hints::default()).wire, Wire::Responses);
/// assert_eq!(keys.has_messages(), Some(true));
/// assert!(keys.has_value("model") && !keys.has_value("log"));
/// ```
#[derive(Debug)]
pub struct Keys<'a> {
    body: &'a [u8],
    members: Option<Cow<'a, [Member]>>,
}

impl<'a> Keys<'a> {
    /// Reads the members. There are none if the body is no object, or ends within one.
    #[must_use]
    pub fn read(body: &'a [u8]) -> Self {
        let start = scan::skip_space(body, 0);
        let is_object = scan::kind(body, start) == Kind::Object;
        let members = is_object.then(|| scan::members(body, start).ok());
        Self { body, members: members.flatten().map(Cow::Owned) }
    }

    /// Takes the members of a body that is on a tape, instead of reading them again.
    #[must_use]
    pub fn from_tape(tape: &Tape<'a>) -> Self {
        let root = tape.root();
        let member = |value: Value<'_>| {
            let key = value.member_range().start + 1;
            let length = value.raw_key()?.len();
            Some(Member { key: key..key + length, value: value.range() })
        };
        let is_object = root.kind() == Kind::Object;
        let members = is_object.then(|| root.children().filter_map(member).collect());
        Self { body: tape.text().as_bytes(), members: members.map(Cow::Owned) }
    }

    pub(crate) fn of(body: &'a [u8], members: &'a [Member]) -> Self {
        Self { body, members: Some(Cow::Borrowed(members)) }
    }

    /// Returns the body.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Decides as [`decide`] does.
    #[must_use]
    pub fn decide(&self, hints: &Hints<'_>) -> Decision {
        let decided = |wire, reason| Decision { wire, reason };
        if let Some(wire) = hints.wire {
            return decided(wire, Reason::Wire);
        }
        if let Some(wire) = hints.platform.and_then(|it| self.wire_on(it)) {
            return decided(wire, Reason::Platform);
        }
        let by_address = || hints.address_platform.and_then(|it| self.wire_on(it));
        if let Some(wire) = hints.address.or_else(by_address) {
            return decided(wire, Reason::Address);
        }
        // A compatible server may serve any model on any wire.
        let is_compatible =
            [hints.platform, hints.address_platform].contains(&Some(Platform::Compatible));
        let named = self.text("model");
        let model = hints.model.or(named.as_deref());
        let vendor = model.map(|model| find(model).facts.vendor);
        let platform = vendor.filter(|_| !is_compatible).and_then(platform_of);
        if let Some(wire) = platform.and_then(|it| self.wire_on(it)) {
            return decided(wire, Reason::Model);
        }
        let shape = match self.shape() {
            // Most compatible servers have no other wire with messages.
            Some(Wire::Messages) if is_compatible && self.fits_chat() => Wire::ChatCompletions,
            shape => shape.unwrap_or(Wire::Messages),
        };
        decided(shape, Reason::Shape)
    }

    fn members(&self) -> &[Member] {
        self.members.as_deref().unwrap_or_default()
    }

    /// Returns true for a body of Bedrock's Converse, by its keys. A Messages API body names its
    /// model (on the clouds, its version) and has no key in camel case.
    ///
    /// ```
    /// use aside_body::wire::Keys;
    ///
    /// let body = br#"{"messages":[],"inferenceConfig":{"maxTokens":512}}"#;
    /// assert!(Keys::read(body).is_converse());
    /// ```
    #[must_use]
    pub fn is_converse(&self) -> bool {
        let has_one = |of: &[&str]| of.iter().any(|key| self.has_value(key));
        self.has_value("messages")
            && has_one(&CONVERSE_KEYS)
            && !has_one(&["model", "anthropic_version"])
    }

    /// Returns true if one of these members is there, whatever its value.
    #[must_use]
    pub fn has(&self, names: &[&str]) -> bool {
        let is_named = |it: &Member| names.iter().any(|name| it.key(self.body) == name.as_bytes());
        self.members().iter().any(is_named)
    }

    /// Returns a member's value as JSON, unless it is `null`.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&'a [u8]> {
        let value = scan::find(self.body, self.members(), name.as_bytes())?;
        Some(&self.body[value]).filter(|it| *it != b"null")
    }

    /// Returns true if there is such a member, and it is not `null`.
    #[must_use]
    pub fn has_value(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns true if there are messages, under any wire's key, or in their place what the provider
    /// keeps (Responses); an embeddings request has none. `None` if the body is no JSON object.
    ///
    /// ```
    /// use aside_body::wire::Keys;
    ///
    /// let continued = br#"{"model":"gpt-5.5","previous_response_id":"resp_1"}"#;
    /// assert_eq!(Keys::read(continued).has_messages(), Some(true));
    /// let legacy = br#"{"model":"gpt-3.5-turbo-instruct","prompt":"Hi"}"#;
    /// assert_eq!(Keys::read(legacy).has_messages(), Some(false));
    /// ```
    #[must_use]
    pub fn has_messages(&self) -> Option<bool> {
        let is_kept = || {
            let continues =
                || self.text("previous_response_id").is_some() || self.has_conversation();
            self.has_template() || (self.has_value("model") && continues())
        };
        self.members.is_some().then(|| self.has(&MESSAGE_KEYS) || is_kept())
    }

    fn text(&self, name: &str) -> Option<String> {
        let value = scan::find(self.body, self.members(), name.as_bytes())?;
        scan::string(self.body, &value)
    }

    /// Picks the body's wire among those of a platform. `None` for a compatible server, and for a
    /// bare history on a platform with several wires.
    fn wire_on(&self, platform: Platform) -> Option<Wire> {
        let has_messages = self.has(&["messages"]);
        match platform {
            _ if platform.is_anthropic() => Some(Wire::Messages),
            _ if self.members.is_none() => None,
            Platform::OpenAi | Platform::Azure | Platform::Xai => {
                if self.is_responses() && !has_messages {
                    Some(Wire::Responses)
                } else {
                    Some(Wire::ChatCompletions)
                }
            }
            // For `generateContent` the model is in the address, so a body with `messages` is for
            // the same server's chat endpoint.
            Platform::Gemini if has_messages && !self.has(&["contents"]) => {
                Some(Wire::ChatCompletions)
            }
            Platform::Gemini => Some(Wire::GenerateContent),
            _ => None,
        }
    }
}
