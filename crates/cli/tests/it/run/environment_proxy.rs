//! A proxy set in the environment (`HTTP_PROXY` and the like).

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::judge::Judge;
use super::*;

const MAX_WAIT: Duration = Duration::from_secs(20);
const VARIABLES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"];

struct Proxy(TcpListener);

impl Proxy {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn set(&self, command: &mut Command) {
        let url = format!("http://{}", self.0.local_addr().unwrap());
        command.envs(VARIABLES.map(|name| (name, url.clone())));
        command.env_remove("NO_PROXY").env_remove("no_proxy");
    }

    /// Returns the waiting connection, if any.
    fn connection(&self) -> Option<TcpStream> {
        match self.0.accept() {
            Ok((stream, _)) => Some(stream),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                None
            }
        }
    }

    /// Runs a command, and refuses the first request through the proxy; returns that one's first
    /// line.
    fn refuse(&self, mut command: Command) -> (String, Ran) {
        self.set(&mut command);
        let child = thread::spawn(move || Ran::of(command.output().unwrap()));
        let start = Instant::now();
        let mut stream = loop {
            if let Some(stream) = self.connection() {
                break stream;
            }
            assert!(start.elapsed() < MAX_WAIT, "the proxy is not asked");
            thread::sleep(Duration::from_millis(2));
        };
        stream.set_nonblocking(false).unwrap();
        let mut line = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
        let refusal = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(refusal.as_bytes()).unwrap();
        drop(stream);
        (line, child.join().unwrap())
    }
}

#[test]
fn no_request_to_this_machine_goes_through_the_proxy() {
    let (place, judge, proxy) = (Place::new(), Judge::new(), Proxy::new());
    let mut command = judge.command(&place, &["hello"]);
    proxy.set(&mut command);
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(judge.seen().bodies.len(), 1);
    assert!(proxy.connection().is_none(), "the proxy was asked");
}

#[test]
fn a_request_to_another_machine_goes_through_the_proxy() {
    let (place, proxy) = (Place::new(), Proxy::new());
    let mut command = place.command(&["hello"]);
    command
        .env("ANTHROPIC_API_KEY", "sk-of-nobody")
        .env("ANTHROPIC_BASE_URL", "http://api.example.invalid");
    let (line, ran) = proxy.refuse(command);
    assert!(line.starts_with("POST http://api.example.invalid/v1/messages"), "{line}");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

fn mcp(url: &str) -> String {
    let headers = r#"{"Authorization":"Bearer sk-of-nobody"}"#;
    format!(r#"{{"mcpServers":{{"docs":{{"url":"{url}","headers":{headers}}}}}}}"#)
}

#[test]
fn an_mcp_server_on_this_machine_is_reached_without_the_proxy() {
    for host in ["127.0.0.1", "localhost"] {
        let (place, judge, proxy) = (Place::new(), Judge::new(), Proxy::new());
        let url = judge.url.replace("127.0.0.1", host) + "/mcp";
        let mut command = judge.command(&place, &["hello", "--mcp-config", &mcp(&url)]);
        proxy.set(&mut command);
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(judge.seen().bodies[0].contains(r#""method":"initialize""#));
        assert!(proxy.connection().is_none(), "the proxy was asked");
    }
}

#[test]
fn an_mcp_server_on_another_machine_is_reached_through_the_proxy() {
    let (place, judge, proxy) = (Place::new(), Judge::new(), Proxy::new());
    let config = mcp("http://mcp.example.invalid/mcp");
    let (line, ran) = proxy.refuse(judge.command(&place, &["hello", "--mcp-config", &config]));
    assert!(line.starts_with("POST http://mcp.example.invalid/mcp"), "{line}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
