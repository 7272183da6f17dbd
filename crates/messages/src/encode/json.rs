//! JSON in memory: written, or only measured.

use std::io;

use serde::Serialize;

use crate::json;

pub(super) fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    json::write(out, value).expect("wire types have string keys");
}

/// Measures a wire value's JSON, in bytes.
pub(super) fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("wire types have string keys");
    count.0
}

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
