//! Content codings, HTTP/2 and `Expect: 100-continue`.

use async_compression::tokio::bufread::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::record::lines;
use super::upstream::Upstream;
use super::*;

const USAGE: &str = r#"{"id":"msg_1","model":"claude-opus-5","content":[{"type":"text","text":"Yes."}],"usage":{"input_tokens":3,"cache_read_input_tokens":7,"output_tokens":2}}"#;

async fn all(mut reader: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).await.unwrap();
    bytes
}

/// Encodes by the codings of a `content-encoding`, in their order.
async fn encoded(codings: &str, text: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for coding in codings.split(", ") {
        bytes = match coding {
            "gzip" => all(GzipEncoder::new(&*bytes)).await,
            "br" => all(BrotliEncoder::new(&*bytes)).await,
            "zstd" => all(ZstdEncoder::new(&*bytes)).await,
            _ => all(ZlibEncoder::new(&*bytes)).await,
        };
    }
    bytes
}

/// Sends a request with this coding. Returns the bytes at the upstream and the
/// records.
async fn sent(coding: &str, body: Vec<u8>) -> (Vec<u8>, Vec<Value>) {
    let upstream = Upstream::answering(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records");
    let proxy = proxy(upstream.address, |options| {
        options.record = Some(path.clone());
        options.max_request_bytes = 1 << 20;
    })
    .await;
    let request =
        client().post(proxy.url("/v1/messages")).header("content-encoding", coding).body(body);
    assert_eq!(request.send().await.unwrap().status(), 200);
    proxy.stop().await;
    let seen = upstream.last();
    let head = seen.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    assert!(
        String::from_utf8_lossy(&seen[..head]).contains(&format!("content-encoding: {coding}"))
    );
    (seen[head + 4..].to_vec(), lines(&path))
}

#[tokio::test]
async fn a_compressed_request_is_forwarded_unchanged_and_recorded_decoded() {
    let expected: Value = serde_json::from_str(HI).unwrap();
    for coding in ["gzip", "br", "zstd", "deflate", "gzip, br", "identity"] {
        let body = match coding {
            "identity" => HI.as_bytes().to_vec(),
            _ => encoded(coding, HI.as_bytes()).await,
        };
        let (seen, lines) = sent(coding, body.clone()).await;
        assert_eq!(seen, body, "{coding}");
        assert_eq!(lines[0]["body"], expected, "{coding}");
    }
}

/// A body that cannot be decoded, or exceeds the limit when decoded, is passed
/// on too.
#[tokio::test]
async fn an_invalid_coding_is_forwarded_without_a_recorded_body() {
    let swollen = encoded("gzip", &vec![b'x'; 4 << 20]).await;
    let mut cut = encoded("gzip", HI.as_bytes()).await;
    cut.truncate(30);
    for (coding, body) in [("gzip", swollen), ("gzip", cut), ("lzma", b"?".to_vec())] {
        let (seen, lines) = sent(coding, body.clone()).await;
        assert_eq!(seen, body);
        assert_eq!(lines[0]["body"], "");
    }
}

#[tokio::test]
async fn a_compressed_response_is_forwarded_unchanged_and_its_usage_is_read() {
    for (coding, members) in [("gzip", 1), ("gzip", 2), ("br", 1), ("zstd", 1), ("deflate", 1)] {
        let mut body = Vec::new();
        for part in USAGE.as_bytes().chunks(USAGE.len().div_ceil(members)) {
            body.extend(encoded(coding, part).await);
        }
        let mut response = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: {coding}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        response.extend_from_slice(&body);
        let upstream = Upstream::running(vec![(std::time::Duration::ZERO, response)]).await;
        let proxy = proxy(upstream.address, |_| {}).await;
        let response = message(&proxy, HI).send().await.unwrap();
        assert_eq!(response.bytes().await.unwrap(), body, "{coding}");
        let lines = proxy.lines.clone();
        proxy.stop().await;
        let line = lines.lock().unwrap()[0].clone();
        assert_eq!((line.read, line.plain), (Some(7), Some(3)), "{coding}");
    }
}

#[tokio::test]
async fn http_2_reaches_both_servers() {
    let server = serve(|_| {}).await;
    let proxy = proxy(server.address, |_| {}).await;
    let _ = client();
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let streamed = HI.replacen('{', r#"{"stream":true,"#, 1);
    for address in [server.address, proxy.address] {
        let url = format!("http://{address}/v1/messages");
        let ask = |body: &str| {
            let request = client.post(&url).header("anthropic-version", "2023-06-01");
            request.body(body.to_owned()).send()
        };
        let response = ask(HI).await.unwrap();
        assert_eq!(response.version(), reqwest::Version::HTTP_2);
        assert_eq!(response.status(), 200);
        let text = ask(&streamed).await.unwrap().text().await.unwrap();
        assert!(text.ends_with("data: {\"type\":\"message_stop\"}\n\n"));
        // Many at once, over one connection.
        let asked = (0..64).map(|_| ask(&streamed));
        for response in futures_util::future::join_all(asked).await {
            assert!(response.unwrap().text().await.unwrap().contains("end_turn"));
        }
        let request = client.post(&url).header("origin", "http://evil.example");
        assert_eq!(request.send().await.unwrap().status(), 403);
    }
    drop(client);
    let summary = proxy.stop().await;
    assert_eq!((summary.requests, summary.aborted), (66, 0));
    server.stop().await;
}

/// A client that waits for `100 Continue` gets it, and a refusal without it.
#[tokio::test]
async fn a_client_may_wait_before_it_sends_the_body() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let head = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nExpect: 100-continue\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            proxy.address,
            HI.len()
        )
    };
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    stream.write_all(head("/v1/messages").as_bytes()).await.unwrap();
    let mut begin = [0; 25];
    stream.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(HI.as_bytes()).await.unwrap();
    let response = String::from_utf8(all(&mut stream).await).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    let seen = String::from_utf8(upstream.last()).unwrap();
    assert!(seen.ends_with(HI), "{seen}");
    assert!(!seen.contains("expect"), "{seen}");
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    stream.write_all(head("/else//where").as_bytes()).await.unwrap();
    let response = String::from_utf8(all(&mut stream).await).unwrap();
    assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
    assert_eq!(upstream.requests(), 1);
    proxy.stop().await;
}

#[tokio::test]
async fn the_test_server_decompresses_requests() {
    let server = serve(|_| {}).await;
    let post = async |coding: &str, body: Vec<u8>| {
        let request = client().post(server.url("/v1/messages"));
        let request = request.header("anthropic-version", "2023-06-01");
        let request = request.header("content-encoding", coding).body(body);
        request.send().await.unwrap().status().as_u16()
    };
    for coding in ["gzip", "br", "zstd", "deflate", "gzip, br"] {
        let body = encoded(coding, HI.as_bytes()).await;
        assert_eq!(post(coding, body).await, 200, "{coding}");
    }
    for coding in ["br", "unknown"] {
        let body = encoded("gzip", HI.as_bytes()).await;
        assert_eq!(post(coding, body).await, 400, "{coding}");
    }
    server.stop().await;
}
