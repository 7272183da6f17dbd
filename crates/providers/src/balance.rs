/// Detects the last brace of a JSON object that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    depth: usize,
    has_begun: bool,
    in_string: bool,
    is_escaped: bool,
}

impl Balance {
    pub(crate) fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.depth += 1;
                    self.has_begun = true;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.has_begun && self.depth == 0
    }
}
