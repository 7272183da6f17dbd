//! The id of a response that is no JSON, or too long to be kept.

use rmcp::model::RequestId;

/// A longer key or id is none.
const MAX_TOKEN_BYTES: usize = 100;

/// Finds the `id` among the members of an object, which it reads in parts.
#[derive(Debug, Default)]
pub(crate) struct ResponseId {
    depth: usize,
    /// The first byte that is not white space. Lines of a log have members, too.
    first: Option<u8>,
    is_in_string: bool,
    is_escaped: bool,
    /// A key or value of the object, without what is nested in it.
    token: Vec<u8>,
    key: Vec<u8>,
    id: Option<RequestId>,
    is_response: bool,
    is_request: bool,
    /// True after the object: another message may follow on the line.
    is_ended: bool,
}

impl ResponseId {
    /// Reads the next part.
    pub(crate) fn read(&mut self, part: &[u8]) {
        for &byte in part {
            self.step(byte);
        }
    }

    /// Returns the id. `None` if this is no response.
    pub(crate) fn get(self) -> Option<RequestId> {
        self.id.filter(|_| self.first == Some(b'{') && self.is_response && !self.is_request)
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_string {
            self.keep(byte);
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return;
        }
        if self.is_ended || byte.is_ascii_whitespace() {
            return;
        }
        self.first.get_or_insert(byte);
        match byte {
            b'{' | b'[' => {
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                    self.is_ended = true;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.end_key(),
            b',' if self.depth == 1 => self.end_member(),
            _ => {
                self.is_in_string = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < MAX_TOKEN_BYTES {
            self.token.push(byte);
        }
    }

    fn end_key(&mut self) {
        match &*self.token {
            br#""method""# => self.is_request = true,
            br#""result""# | br#""error""# => self.is_response = true,
            _ => {}
        }
        self.key = std::mem::take(&mut self.token);
    }

    fn end_member(&mut self) {
        if self.key == br#""id""# {
            self.id = serde_json::from_slice(&self.token).ok();
        }
        self.key.clear();
        self.token.clear();
    }
}
