//! JSON in memory: written, or only measured.

use std::io;

use serde::Serialize;

pub(super) fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("wire types have string keys, and memory is writable");
}

/// Appends the text as inside a JSON string, without quotes.
pub(super) fn write_escaped(out: &mut Vec<u8>, text: &str) {
    let start = out.len();
    write_json(out, text);
    out.pop();
    out.remove(start);
}

/// Measures a wire value's JSON, in bytes.
pub(super) fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("wire types have string keys");
    count.0
}

/// Measures the text inside a JSON string, in bytes.
pub(super) fn escaped_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| usize::from(LENGTHS[usize::from(byte)]))
        .sum()
}

/// How long each byte of a text is inside a JSON string, as serde_json writes
/// it: `\n` is two bytes, `\u0001` is six.
const LENGTHS: [u8; 256] = {
    let mut lengths = [1; 256];
    let mut control = 0;
    while control < 0x20 {
        lengths[control] = 6;
        control += 1;
    }
    let mut index = 0;
    let short = *b"\"\\\n\r\t\x08\x0c";
    while index < short.len() {
        lengths[short[index] as usize] = 2;
        index += 1;
    }
    lengths
};

struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_length_that_serde_writes() {
        for byte in 0..=0x7F_u8 {
            let text = char::from(byte).to_string();
            assert_eq!(escaped_len(&text), json_len(&text) - 2, "{byte:#x}");
        }
        let text = "é😀\u{FFFD}\u{2028}";
        assert_eq!(escaped_len(text), json_len(text) - 2);
        let mut out = b"x".to_vec();
        write_escaped(&mut out, "a\"\u{1}é");
        assert_eq!(out, "xa\\\"\\u0001é".as_bytes());
    }
}
