//! The proxy and the test server: what each reports about a client's requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::Value;

use crate::cache_matrix::commands::Report;
use crate::cache_matrix::server::Server;
use crate::cache_matrix::session::{Session, Wire};
use crate::cache_matrix::{LATER, clean};

/// Returns a server's address, as in `127.0.0.1:4010`.
fn address_of(server: &Server) -> &str {
    let (_, address) = server.url.split_once("//").unwrap();
    address.split('/').next().unwrap()
}

/// Sends a request and returns the response, including its head.
fn post(address: &str, path: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nanthropic-version: 2023-06-01\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    response
}

/// Serves one response per connection, for this many requests; returns the
/// address.
fn upstream(response: &str, requests: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let response = response.to_owned();
    thread::spawn(move || {
        for number in 0..requests {
            let (mut stream, _) = listener.accept().unwrap();
            read_request(&mut stream);
            let body = response.replace("@n@", &number.to_string());
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    address
}

fn read_request(stream: &mut TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
}

/// Sends the session through the proxy, which fails when it reports a miss.
pub(crate) fn proxy(session: &Session, wire: &Wire) -> Vec<Option<Report>> {
    let upstream = upstream(wire.response.get(), session.bodies.len());
    // OpenAI base URLs contain a path that requests repeat.
    let base = match wire.upstream.as_str() {
        "responses" | "chat" => "/v1",
        _ => "",
    };
    let mut command = clean::aside(session.directory(), session.directory());
    let upstream = format!("{}=http://{upstream}{base}", wire.upstream);
    command.args(["proxy", "--json", "--deny", "miss", "--upstream", &upstream]);
    let proxy = Server::start(&mut command);
    for (body, path) in session.bodies.iter().zip(&session.paths) {
        post(address_of(&proxy), path, "", body);
    }
    let output = proxy.interrupt();
    let errors = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<Value> = errors.lines().filter_map(|it| serde_json::from_str(it).ok()).collect();
    let reports = LATER.map(|index| Report::of_miss(&lines[index]["miss"]));
    let is_missed = reports.iter().any(Option::is_some);
    assert_eq!(output.status.code(), Some(i32::from(is_missed)), "{errors}");
    reports.into()
}

/// Sends the session to the test server. Its JSON report, `GET /report`, the
/// JUnit report and the exit code have to agree on the misses.
pub(crate) fn serve(session: &Session, wire: &Wire) -> Vec<Option<Report>> {
    let junit = session.directory().join("junit.xml");
    let mut command = clean::aside(session.directory(), session.directory());
    command.args(["serve", "--json", "--junit"]).arg(&junit);
    // On other wires, sessions have calls without signatures, and tools that
    // their models take only on Responses.
    if wire.upstream == "messages" {
        command.arg("--strict");
    }
    let mut serve = Server::start(&mut command);
    for (index, body) in session.bodies.iter().enumerate() {
        let time = 1_800_000_000 + index as u64 * session.gap;
        let now = format!("x-aside-now: {time}\r\n");
        post(address_of(&serve), &session.paths[index], &now, body);
    }
    let mut stream = TcpStream::connect(address_of(&serve)).unwrap();
    let request = format!(
        "GET /report HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        address_of(&serve)
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (_, served) = response.split_once("\r\n\r\n").unwrap();
    let served: Value = serde_json::from_str(served).unwrap();
    let stdout = serve.child.stdout.take();
    let output = serve.interrupt();
    let mut printed = String::new();
    stdout.unwrap().read_to_string(&mut printed).unwrap();
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(served["misses"], report["misses"]);
    let misses = report["misses"].as_array().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!misses.is_empty())));
    let junit = std::fs::read_to_string(junit).unwrap();
    assert_eq!(junit.matches("type=\"cache_miss\"").count(), misses.len(), "{junit}");
    let of_request = |index: usize| {
        let number = Some(index as u64 + 1);
        let miss = misses.iter().find(|it| it["request"].as_u64() == number)?;
        Report::of_miss(&miss["miss"])
    };
    LATER.map(of_request).into()
}
