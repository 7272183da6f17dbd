//! The responses that the server keeps (`store`), for `previous_response_id`,
//! item references and `GET /v1/responses/{id}`.

use std::collections::VecDeque;

/// How large all stored responses may be.
const MAX_BYTES: usize = 64 << 20;

#[derive(Clone, Debug)]
pub(super) struct StoredResponse {
    pub(super) id: String,
    /// All items in the conversation as JSON, with the output.
    pub(super) items: Vec<String>,
    /// The output items' ids.
    pub(super) output_ids: Vec<String>,
    /// The response as sent.
    pub(super) json: String,
}

/// The latest stored responses. Above the limit, the oldest ones are removed,
/// so a server that runs for days keeps its size.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    responses: VecDeque<StoredResponse>,
    bytes: usize,
}

impl Store {
    pub(super) fn push(&mut self, response: StoredResponse) {
        self.bytes += response.bytes();
        self.responses.push_back(response);
        while self.bytes > MAX_BYTES {
            let Some(oldest) = self.responses.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes();
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&StoredResponse> {
        self.responses.iter().rfind(|it| it.id == id)
    }

    /// Finds any response's output item by its id.
    pub(super) fn item(&self, id: &str) -> Option<&str> {
        let found = self.responses.iter().rev().find_map(|response| {
            let ids = &response.output_ids;
            let index = ids.iter().position(|it| it == id)?;
            let first = response.items.len().checked_sub(ids.len())?;
            response.items.get(first + index)
        });
        found.map(String::as_str)
    }

    /// Returns false if there is none with this id.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let Some(index) = self.responses.iter().position(|it| it.id == id) else {
            return false;
        };
        if let Some(removed) = self.responses.remove(index) {
            self.bytes -= removed.bytes();
        }
        true
    }
}

impl StoredResponse {
    fn bytes(&self) -> usize {
        self.items.iter().map(String::len).sum::<usize>() + self.json.len()
    }
}
