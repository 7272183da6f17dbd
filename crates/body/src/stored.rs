//! Conversations that a provider keeps: a request to Responses names the response that it
//! continues (`previous_response_id`), and has the new items only.

use std::collections::VecDeque;

use aside_json::{Kind, Tape, Value};

use crate::Wire;
use crate::body::Body;

/// The maximum size of all kept requests and responses.
const MAX_BYTES: usize = 64 << 20;

/// The latest requests that were answered, with their output. Above a limit, the oldest
/// ones are dropped.
///
/// ```
/// use aside_body::Body;
/// use aside_body::stored::StoredResponses;
///
/// let mut stored = StoredResponses::default();
/// let first = Body::parse(br#"{"model":"gpt-5.5","input":"Hi"}"#)?;
/// stored.push("resp_1", &first, r#"[{"type":"message","role":"assistant","content":[]}]"#);
/// let next = br#"{"model":"gpt-5.5","previous_response_id":"resp_1","input":"Go on"}"#;
/// let whole = Body::parse(&stored.whole(&Body::parse(next)?).expect("it is kept"))?;
/// assert_eq!(whole.message_count(), 3);
/// # Ok::<(), aside_body::ParseError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StoredResponses {
    responses: VecDeque<Stored>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Stored {
    id: String,
    /// The whole request.
    request: Body,
    /// The list of output items, as JSON.
    output: String,
}

impl Stored {
    fn bytes(&self) -> usize {
        self.request.as_bytes().len() + self.output.len()
    }
}

impl StoredResponses {
    /// Returns true for a request to Responses that does not say to drop its response.
    #[must_use]
    pub fn keeps(request: &Body) -> bool {
        let store = request.get("store");
        let is_dropped = store.is_some_and(|it| &request.as_bytes()[it] == b"false");
        request.wire() == Wire::Responses && !is_dropped
    }

    /// Keeps a request to Responses with the id and the output items of its response, a
    /// JSON array, if the provider [keeps](Self::keeps) it. `request` is
    /// [whole](Self::whole).
    pub fn push(&mut self, id: &str, request: &Body, output: &str) {
        if !Self::keeps(request) {
            return;
        }
        let stored =
            Stored { id: id.to_owned(), request: request.clone(), output: output.to_owned() };
        self.bytes += stored.bytes();
        self.responses.push_back(stored);
        while self.bytes > MAX_BYTES
            && let Some(oldest) = self.responses.pop_front()
        {
            self.bytes -= oldest.bytes();
        }
    }

    /// Returns the body with the items of the conversation that it continues, and without
    /// `previous_response_id`; `None` if it continues no response that is kept here.
    #[must_use]
    pub fn whole(&self, request: &Body) -> Option<Vec<u8>> {
        let id = request.previous_response()?;
        let stored = self.responses.iter().rfind(|it| it.id == id)?;
        let before = Tape::parse(stored.request.as_bytes()).ok()?;
        let output = Tape::parse(stored.output.as_bytes()).ok()?;
        let tape = Tape::parse(request.as_bytes()).ok()?;
        let mut items = input_items(before.root());
        items.extend(output.root().items().map(|it| it.raw().to_owned()));
        items.extend(input_items(tape.root()));
        Some(with_input(&tape, &items))
    }
}

/// Returns the items of `input` as JSON. A text is a message of the user.
#[must_use]
pub fn input_items(root: Value<'_>) -> Vec<String> {
    let Some(input) = root.get("input") else {
        return Vec::new();
    };
    match input.kind() {
        Kind::String => vec![format!(r#"{{"role":"user","content":{}}}"#, input.raw())],
        _ => input.items().map(|it| it.raw().to_owned()).collect(),
    }
}

/// Returns the request with these items as its `input`, and without
/// `previous_response_id`.
#[must_use]
pub fn with_input(request: &Tape<'_>, items: &[String]) -> Vec<u8> {
    let input = format!("\"input\":[{}]", items.join(","));
    let members = request.root().members().filter_map(|(key, value)| match &*key {
        "previous_response_id" | "input" => None,
        _ => request.text().get(value.member_range()),
    });
    let members: Vec<&str> = members.chain([&*input]).collect();
    format!("{{{}}}", members.join(",")).into_bytes()
}
