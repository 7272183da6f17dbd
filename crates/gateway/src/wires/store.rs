//! The responses that the server keeps (`store`), for `previous_response_id`,
//! item references and `GET /v1/responses/{id}`.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::reasoning::place_of;
use super::reply::Reply;

/// How large all stored responses may be.
const MAX_BYTES: usize = 64 << 20;

/// How many digits of an input item's id are those of its response; its index follows.
const RESPONSE_DIGITS: usize = 48;

#[derive(Clone, Debug)]
pub(crate) struct StoredResponse {
    /// All items in the conversation as JSON, with the output.
    pub(super) items: Vec<String>,
    /// The response as sent.
    pub(crate) reply: Reply,
    /// How much memory it takes, about.
    pub(super) bytes: usize,
}

/// What to do with a stored response.
#[derive(Debug)]
pub(crate) enum StoredAction {
    Read,
    /// Send its events again, from this one.
    Stream {
        first: usize,
    },
    ListInput(InputPage),
    Remove,
}

/// Which input items to list.
#[derive(Debug)]
pub(crate) struct InputPage {
    pub(crate) is_ascending: bool,
    /// The id of the item before the first one.
    pub(crate) after: Option<String>,
    pub(crate) limit: usize,
}

/// The latest stored responses. Above the limit, the oldest ones are removed,
/// so a server that runs for days keeps its size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    responses: VecDeque<StoredResponse>,
    bytes: usize,
}

impl Store {
    pub(super) fn push(&mut self, response: StoredResponse) {
        self.bytes += response.bytes;
        self.responses.push_back(response);
        while self.bytes > MAX_BYTES
            && let Some(oldest) = self.responses.pop_front()
        {
            self.bytes -= oldest.bytes;
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&StoredResponse> {
        self.responses.iter().rfind(|it| it.reply.id == id)
    }

    /// Finds any response's item by its id.
    pub(super) fn item(&self, id: &str) -> Option<&str> {
        let found = self.responses.iter().rev().find_map(|response| {
            let index = response.reply.blocks.iter().position(|it| it.id() == id)?;
            response.items.get(response.input_count() + index)
        });
        let listed = || {
            let (response, index) = place_of(id).split_at_checked(RESPONSE_DIGITS)?;
            let items = &self.get(&format!("resp_{response}"))?.items;
            items.get(usize::from_str_radix(index, 16).ok()?)
        };
        found.or_else(listed).map(String::as_str)
    }

    /// Returns false if there is none with this id.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let index = self.responses.iter().position(|it| it.reply.id == id);
        let removed = index.and_then(|it| self.responses.remove(it));
        self.bytes -= removed.as_ref().map_or(0, |it| it.bytes);
        removed.is_some()
    }
}

impl StoredResponse {
    /// Returns how many items are before the output.
    fn input_count(&self) -> usize {
        self.items.len() - self.reply.blocks.len()
    }

    /// Returns a page of the items before the output, as JSON.
    pub(crate) fn input(&self, page: &InputPage) -> String {
        let items = self.items[..self.input_count()].iter().enumerate();
        let mut items: Vec<Value> = items.map(|(index, it)| self.listed(index, it)).collect();
        if !page.is_ascending {
            items.reverse();
        }
        if let Some(after) = &page.after {
            let found = items.iter().position(|it| it["id"] == **after);
            items.drain(..found.map_or(items.len(), |index| index + 1));
        }
        let has_more = items.len() > page.limit;
        items.truncate(page.limit);
        let id = |item: Option<&Value>| item.map(|it| it["id"].clone());
        let (first_id, last_id) = (id(items.first()), id(items.last()));
        json!({"object": "list", "data": items, "first_id": first_id, "last_id": last_id, "has_more": has_more})
            .to_string()
    }

    /// Returns an input item with what a request may leave out.
    fn listed(&self, index: usize, item: &str) -> Value {
        let mut item: Value = serde_json::from_str(item).unwrap_or_default();
        let Some(object) = item.as_object_mut() else {
            return item;
        };
        if let Some(role) = object.get("role") {
            let kind = if role == "assistant" { "output_text" } else { "input_text" };
            if let Some(text) = object["content"].as_str() {
                object["content"] = json!([{"type": kind, "text": text}]);
            }
            object.entry("type").or_insert_with(|| json!("message"));
            object.entry("status").or_insert_with(|| json!("completed"));
        }
        let prefix = match object["type"].as_str().unwrap_or_default() {
            "message" => "msg".to_owned(),
            "reasoning" => "rs".to_owned(),
            // Such as `fco` for `function_call_output`.
            kind => kind.split('_').filter_map(|word| word.chars().next()).collect(),
        };
        let id = || json!(format!("{prefix}_{}{index:02x}", place_of(&self.reply.id)));
        object.entry("id").or_insert_with(id);
        item
    }
}
