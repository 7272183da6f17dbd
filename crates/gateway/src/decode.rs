//! Decompressing bodies, for the record and for the test server.
//!
//! `gzip`, `deflate`, `br` and `zstd`, even several in a row. The decoded size
//! is limited, since a few bytes can decode to gigabytes, and takes room as it
//! grows.

use std::borrow::Cow;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use axum::http::{HeaderMap, header};
use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncReadExt};

/// How many codings of one body to decode.
const MAX_CODINGS: usize = 4;

/// The first buffer for a decoded body, which doubles.
const FIRST_BYTES: usize = 16 << 10;

/// Decodes a body by its `content-encoding`, up to a limit in bytes. `None` if
/// the coding is unknown, the body is broken or too long, or `grow` finds no
/// room for that many more bytes.
pub(crate) fn decode<'b>(
    headers: &HeaderMap,
    body: &'b [u8],
    limit: usize,
    grow: &mut impl FnMut(usize) -> bool,
) -> Option<Cow<'b, [u8]>> {
    let codings: Vec<String> = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != "identity")
        .collect();
    if codings.len() > MAX_CODINGS {
        return None;
    }
    let mut decoded = Cow::Borrowed(body);
    // The last coding was applied last.
    for coding in codings.iter().rev() {
        // Memory is always ready, so nothing waits here.
        decoded = one(coding, &decoded, limit, grow).now_or_never()??.into();
    }
    Some(decoded)
}

/// Returns true if a body with these headers is compressed.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    let coding = headers.get(header::CONTENT_ENCODING);
    coding.is_some_and(|coding| !coding.is_empty() && coding != "identity")
}

async fn one(
    coding: &str,
    body: &[u8],
    limit: usize,
    grow: &mut impl FnMut(usize) -> bool,
) -> Option<Vec<u8>> {
    match coding {
        "gzip" | "x-gzip" => {
            let mut decoder = GzipDecoder::new(body);
            decoder.multiple_members(true);
            read(decoder, limit, grow).await
        }
        "br" => read(BrotliDecoder::new(body), limit, grow).await,
        "zstd" => read(ZstdDecoder::new(body), limit, grow).await,
        "deflate" => read(ZlibDecoder::new(body), limit, grow).await,
        _ => None,
    }
}

/// Reads to the end; `None` if there are more than `limit` bytes, or no room for them.
async fn read(
    reader: impl AsyncRead + Unpin,
    limit: usize,
    grow: &mut impl FnMut(usize) -> bool,
) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    let mut limited = reader.take(limit as u64 + 1);
    loop {
        if decoded.len() == decoded.capacity() {
            let more = decoded.len().max(FIRST_BYTES).min(limit.saturating_sub(decoded.len()) + 1);
            if !grow(more) {
                return None;
            }
            decoded.reserve_exact(more);
        }
        if limited.read_buf(&mut decoded).await.ok()? == 0 {
            return (decoded.len() <= limit).then_some(decoded);
        }
    }
}
