//! Web pages, other hosts, other paths and other methods reach no server.
//!
//! The attackers are a web page in the user's browser, a name that is rebound
//! to a loopback address, and a client that wants another target than the
//! configured upstream. The promise is number 8 of `docs/security.md`.
//!
//! A case is one raw request with a `Host`, an `Origin`, a path or a method
//! that no client of an API sends. It has to be refused with a status of 400 or
//! above or a closed connection, and without a header of CORS. Through the
//! proxy, none may reach the upstream. After the cases of a server, an ordinary
//! request has to be served.

use anyhow::Result;

use super::super::command::Aside;
use super::super::outcome::Outcome;
use super::servers::{exchange, request, status};
use super::{Servers, VERSION, body};

/// Web pages, other hosts, other paths and other methods.
///
/// Then the servers are started with addresses that other machines reach and
/// with upstreams that would read along over plain HTTP; they have to end with
/// an error.
pub(super) fn try_all(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    let servers = Servers::start(aside, &[])?;
    for address in [servers.proxy.address, servers.serve.address] {
        let before = servers.served()?;
        let own = address.to_string();
        let port = address.port();
        let other_port = format!("127.0.0.1:{}", port ^ 1);
        let (rebound, user) = (
            format!("127.0.0.1.evil.example:{port}"),
            format!("a@127.0.0.1:{port}"),
        );
        let named = format!("evil.example:{port}");
        let host = |value| vec![("Host", value), VERSION];
        let also = |name, value| vec![("Host", &*own), VERSION, (name, value)];
        let evil: &[(&str, Vec<(&str, &str)>)] = &[
            ("POST /v1/messages", host("evil.example")),
            ("POST /v1/messages", host(&named)),
            ("POST /v1/messages", host(&rebound)),
            ("POST /v1/messages", host(&other_port)),
            ("POST /v1/messages", host(&user)),
            ("POST /v1/messages", host("127.0.0.1")),
            ("POST /v1/messages", host("")),
            ("POST /v1/messages", vec![VERSION]),
            ("POST /v1/messages", also("Host", "evil.example")),
            ("POST http://evil.example/v1/messages", host(&own)),
            ("POST /v1/messages", also("Origin", "http://evil.example")),
            ("POST /v1/messages", also("Origin", "null")),
            ("POST /v1/messages", also("Origin", "http://localhost")),
            ("GET /report", also("Sec-Fetch-Site", "cross-site")),
            ("GET /v1/models", also("Sec-Fetch-Site", "same-site")),
            (
                "OPTIONS /v1/messages",
                also("Origin", "http://evil.example"),
            ),
            ("GET /report", also("Origin", "http://evil.example")),
            ("GET /report", host("evil.example")),
            ("GET /v1/messages", also("Upgrade", "websocket")),
            ("CONNECT evil.example:443", host("evil.example:443")),
            ("GET http://evil.example/", host("evil.example")),
            ("POST /v1/messages/../../admin", host(&own)),
            ("POST /v1/messages/%2e%2e/%2E%2e/admin", host(&own)),
            ("POST //evil.example/v1/messages", host(&own)),
            ("POST /v1/messages@evil.example/", host(&own)),
            ("POST /admin", host(&own)),
        ];
        for (head, headers) in evil {
            let sent = request(head, headers, body("Hi").to_string().as_bytes());
            let response = exchange(address, &sent)?;
            let found = status(&response);
            let head = format!("{head} {headers:?} to port {port}");
            let text = String::from_utf8_lossy(&response).to_ascii_lowercase();
            outcome.check((found != 0 && found < 400).then(|| format!("{head}: status {found}")));
            let opens = text.contains("access-control-");
            outcome.check(opens.then(|| format!("{head}: a page may read the response")));
        }
        let reached = servers.served()? - before;
        let at_proxy = address == servers.proxy.address;
        outcome.check((at_proxy && reached > 0).then(|| format!("{reached} reached the upstream")));
        let fault = servers.fault()?;
        outcome.check(fault);
    }
    servers.stop()?;
    // Addresses that other machines reach, and upstreams on other machines over plain HTTP.
    let place = aside.place()?;
    for arguments in [
        &["serve", "--listen", "0.0.0.0:0"][..],
        &["serve", "--listen", "[::]:0"],
        &["proxy", "--listen", "0.0.0.0:0"],
        &["proxy", "--upstream", "messages=http://example.com"],
        &[
            "proxy",
            "--upstream",
            "messages=http://localhost.example.com",
        ],
        &[
            "proxy",
            "--upstream",
            "messages=http://127.0.0.1.example.com",
        ],
        &[
            "proxy",
            "--upstream",
            "messages=http://127.0.0.1@example.com",
        ],
        &["proxy", "--upstream", "messages=ftp://127.0.0.1"],
        &["proxy", "--upstream", "messages=file:///etc/passwd"],
    ] {
        let ran = place.run(arguments)?;
        let starts = ran.code.is_none_or(|it| it == 0);
        outcome.check(starts.then(|| format!("{arguments:?} starts")));
    }
    Ok(())
}
