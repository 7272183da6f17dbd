//! When a variable chooses the provider, it receives the request that
//! `aside render` prints.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use crate::run::{Place, Ran, Server};

const REFUSED: &str =
    "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

/// Returns the sent and the printed body for one session in one environment;
/// `base` is the variable to set to the address.
fn sent_and_shown(variables: &[(&str, &str)], base: &str) -> (String, String) {
    let (place, server) = (Place::new(), Server::new());
    let aside = |arguments: &[&str]| {
        let mut command = place.aside(&[arguments, &["--date", "2026-01-31"]].concat());
        command
            .envs(variables.iter().copied())
            .env(base, &server.url)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let ended = |child: std::process::Child| Ran::of(child.wait_with_output().unwrap());
    let cassette = place.path("cassette.json");
    let answers = r#"{"version":1,"answers":[{"content":"Hi."}]}"#;
    fs::write(&cassette, answers).unwrap();
    let replay = ["--replay", cassette.to_str().unwrap()];
    let ran = ended(aside(&[&["run", "hello"], &replay[..]].concat()));
    assert_eq!(ran.code, Some(0), "{ran:?}");

    let id = ran.id();
    let shown = ended(aside(&["render", "more", "--resume", &id]));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let child = aside(&["run", "more", "--resume", &id]);
    let (body, mut stream) = server.body();
    stream.write_all(REFUSED.as_bytes()).unwrap();
    drop(stream);
    let ran = ended(child);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    (String::from_utf8(body).unwrap(), shown.stdout)
}

#[test]
fn the_printed_body_is_the_sent_body() {
    let bedrock = [
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("ENABLE_PROMPT_CACHING_1H_BEDROCK", "1"),
        ("AWS_BEARER_TOKEN_BEDROCK", "of-nobody"),
        ("AWS_REGION", "us-east-1"),
    ];
    let (sent, shown) = sent_and_shown(&bedrock, "ANTHROPIC_BEDROCK_BASE_URL");
    assert_eq!(sent, shown);
    assert!(sent.starts_with(r#"{"anthropic_version":"bedrock-2023-05-31""#));
    assert_eq!(
        sent.matches(r#""cache_control""#).count(),
        sent.matches(r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#).count(),
    );

    // The sent body differs only in the parameter to stream.
    let openai = [
        ("CLAUDE_CODE_USE_OPENAI", "1"),
        ("OPENAI_MODEL", "a-model"),
        ("OPENAI_API_KEY", "of-nobody"),
    ];
    let (sent, shown) = sent_and_shown(&openai, "OPENAI_BASE_URL");
    let stream = r#""stream":true,"stream_options":{"include_usage":true},"#;
    assert_eq!(sent.replacen(stream, "", 1), shown);
    assert_ne!(sent, shown);
    assert!(sent.contains(r#""model":"a-model""#) && sent.contains("prompt_cache_key"));

    let nobody = [("ANTHROPIC_API_KEY", "of-nobody")];
    let (sent, shown) = sent_and_shown(&nobody, "ANTHROPIC_BASE_URL");
    assert_eq!(sent.replacen(r#""stream":true,"#, "", 1), shown);
    assert_ne!(sent, shown);
}

#[test]
fn conversion_losses_are_reported_before_the_response() {
    let (place, server) = (Place::new(), Server::new());
    let mut child = place
        .command(&["hello", "--provider", "openai"])
        .env("OPENAI_API_KEY", "of-nobody")
        .env("OPENAI_BASE_URL", &server.url)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let answer = |mut stream: TcpStream, deltas: [&str; 2]| {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        write!(stream, "{head}").unwrap();
        for delta in deltas {
            write!(stream, "data: {{\"choices\":[{delta}]}}\n\n").unwrap();
        }
        write!(stream, "data: [DONE]\n\n").unwrap();
    };
    let call = r#"{"delta":{"reasoning_content":"So.","tool_calls":[{"index":0,"id":"c","function":{"name":"Read","arguments":"{\"file_path\":\"a.md\"}"}}]}}"#;
    let called = r#"{"delta":{},"finish_reason":"tool_calls"}"#;
    for _ in 0..2 {
        let (_, stream) = server.body();
        answer(stream, [call, called]);
    }
    // The third request's losses are reported before its response.
    let (_, stream) = server.body();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut printed = Vec::new();
    while printed.len() < 2 {
        let mut line = String::new();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "{printed:?}");
        if line.contains("left out") && line.contains("thinking") {
            printed.push(line);
        }
    }
    let is_loss = |it: &String| it.starts_with("aside: warning: ") && it.contains("thinking");
    assert!(printed.iter().all(is_loss), "{printed:?}");
    let chunk = r#"{"delta":{"content":"Done."}}"#;
    answer(stream, [chunk, r#"{"delta":{},"finish_reason":"stop"}"#]);
    let ran = child.wait_with_output().unwrap();
    assert!(ran.status.success());
    assert_eq!(ran.stdout, b"Done.\n");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("left out"), "{rest}");
}
