//! Decompressing bodies, for the record and for the test server.
//!
//! `gzip`, `deflate`, `br` and `zstd`, even several in a row. The decoded size
//! is limited, since a few bytes can decode to gigabytes.

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use axum::http::{HeaderMap, header};
use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncReadExt};

/// How many codings of one body to decode.
const MAX_CODINGS: usize = 4;

/// Decodes a body by its `content-encoding`, up to a limit in bytes. `None` if
/// the coding is unknown, or the body is broken or too long.
pub(crate) fn decode(headers: &HeaderMap, body: &[u8], limit: usize) -> Option<Vec<u8>> {
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
    let mut decoded = body.to_vec();
    // The last coding was applied last.
    for coding in codings.iter().rev() {
        // Memory is always ready, so nothing waits here.
        decoded = one(coding, &decoded, limit).now_or_never()??;
    }
    Some(decoded)
}

/// Returns true if a body with these headers is compressed.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    let coding = headers.get(header::CONTENT_ENCODING);
    coding.is_some_and(|coding| !coding.is_empty() && coding != "identity")
}

async fn one(coding: &str, body: &[u8], limit: usize) -> Option<Vec<u8>> {
    match coding {
        "gzip" | "x-gzip" => {
            let mut decoder = GzipDecoder::new(body);
            decoder.multiple_members(true);
            read(decoder, limit).await
        }
        "br" => read(BrotliDecoder::new(body), limit).await,
        "zstd" => read(ZstdDecoder::new(body), limit).await,
        "deflate" => read(ZlibDecoder::new(body), limit).await,
        _ => None,
    }
}

/// Reads to the end; `None` if there are more than `limit` bytes.
async fn read(reader: impl AsyncRead + Unpin, limit: usize) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    let mut limited = reader.take(limit as u64 + 1);
    limited.read_to_end(&mut decoded).await.ok()?;
    (decoded.len() <= limit).then_some(decoded)
}
