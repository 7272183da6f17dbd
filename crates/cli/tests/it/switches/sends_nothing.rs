//! Commands that only show requests send none, even when every key is set.

use std::process::Output;
use std::sync::mpsc::TryRecvError;

use super::place::Place;
use super::sent::{ADDRESSES, KEYS, Recorder};

/// Proxies in the environment: they would get a request to any other address.
const PROXIES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
const PROVIDERS: [&str; 8] =
    ["first-party", "bedrock", "bedrock-messages", "vertex", "foundry", "openai", "gemini", "grok"];

/// Runs a command whose requests would all go to the recorder.
fn aside(place: &Place, recorder: &Recorder, arguments: &[&str]) -> Output {
    let mut aside = place.command(arguments);
    aside.envs(KEYS).envs(ADDRESSES.map(|name| (name, &recorder.url)));
    aside.envs(PROXIES.map(|name| (name, &recorder.url)));
    aside.output().unwrap()
}

#[test]
fn what_shows_a_request_sends_nothing() {
    let (place, recorder) = (Place::new(), Recorder::new());
    let check = |arguments: &[&str]| {
        let output = aside(&place, &recorder, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {output:?}");
        let received = recorder.bodies.try_recv();
        assert_eq!(received, Err(TryRecvError::Empty), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for provider in PROVIDERS {
        let body = check(&["render", "hello", "--provider", provider]);
        assert!(body.contains("hello"), "{body}");
        place.write("body.json", &body);
        check(&["context", "hello", "--provider", provider]);
        check(&["context", "--file", "ROOT/body.json"]);
        check(&["diff", "ROOT/body.json", "ROOT/body.json"]);
        check(&["check", "ROOT/body.json"]);
    }
    check(&["memory", "--touch", "CLAUDE.md"]);

    // The recorder does notice a request.
    aside(&place, &recorder, &["context", "hello", "--exact"]);
    assert!(recorder.bodies.try_recv().unwrap().contains("hello"));
}
