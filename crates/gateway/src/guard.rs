//! Requests that both servers refuse before they read them.
//!
//! Every page in the user's browser can reach a server on loopback. A page
//! cannot read the response without a CORS header, which these servers never
//! send, but its request would already have been forwarded with the agent's
//! account, or recorded. So such requests are refused before their body is
//! read. Checking `Host` refuses DNS rebinding.

use std::net::SocketAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use tokio::net::TcpListener;

/// The port that clients leave out in `Host`.
const HTTP_PORT: u16 = 80;

/// Why a server was not started.
#[derive(Debug, thiserror::Error)]
#[error("bind {address}: {detail}")]
pub struct BindError {
    kind: BindErrorKind,
    address: SocketAddr,
    detail: String,
}

/// What kind of [`BindError`] this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindErrorKind {
    /// Other machines can reach the address, and you did not allow remote
    /// clients.
    NotLoopback,
    /// The system refused it.
    System,
}

/// Who may connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Programs on this machine.
    #[default]
    Loopback,
    /// Any machine that can reach the address.
    Remote,
}

/// Binds an address.
///
/// # Errors
///
/// The address is not a loopback address and `access` allows only loopback, or
/// the system refuses the address.
pub(crate) async fn bind(address: SocketAddr, access: Access) -> Result<TcpListener, BindError> {
    let fail = |kind, detail: String| BindError { kind, address, detail };
    if access == Access::Loopback && !address.ip().is_loopback() {
        let detail = "not a loopback address; --allow-remote permits it".to_owned();
        return Err(fail(BindErrorKind::NotLoopback, detail));
    }
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| fail(BindErrorKind::System, error.to_string()))
}

/// Refuses requests that a web page could send: those with an `Origin` or from
/// another site (`Sec-Fetch-Site`), and those for another host than the bound
/// address.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// The accepted values of `Host`; `None` accepts all.
    hosts: Option<Vec<String>>,
}

impl Guard {
    pub(crate) fn new(bound: SocketAddr, access: Access) -> Self {
        let port = bound.port();
        let mut hosts = vec![bound.to_string(), format!("localhost:{port}")];
        if port == HTTP_PORT {
            let without_port = |it: &String| Some(it.rsplit_once(':')?.0.to_owned());
            hosts.extend(hosts.clone().iter().filter_map(without_port));
        }
        Self { hosts: (access == Access::Loopback).then_some(hosts) }
    }

    /// Returns status and text to refuse with.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Result<(), (StatusCode, &'static str)> {
        if headers.contains_key(header::ORIGIN) || is_of_other_site(headers) {
            return Err((StatusCode::FORBIDDEN, "requests of web pages are refused"));
        }
        let upgrade = headers.get(header::UPGRADE).map(HeaderValue::as_bytes);
        if upgrade.is_some_and(|it| it.eq_ignore_ascii_case(b"websocket")) {
            return Err((StatusCode::UPGRADE_REQUIRED, "WebSocket is not supported; use HTTP"));
        }
        let Some(hosts) = &self.hosts else {
            return Ok(());
        };
        let authority = uri.authority().map(Authority::as_str);
        // A host that is not ASCII is not this server's name.
        let hosts_given =
            headers.get_all(header::HOST).iter().map(|it| it.to_str().unwrap_or_default());
        // HTTP/2 has an authority, HTTP/1.1 a host, and a request may have
        // both, or several hosts; each is checked.
        let mut named = authority.into_iter().chain(hosts_given).peekable();
        let is_own = |name: &str| hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        if named.peek().is_none() || !named.all(is_own) {
            return Err((
                StatusCode::MISDIRECTED_REQUEST,
                "the host is not the address of this server",
            ));
        }
        Ok(())
    }
}

/// Returns true for what another site's page loads, for example an image: a
/// browser sends no `Origin` with it.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.any(|site| !matches!(site.as_bytes(), b"none" | b"same-origin"))
}

impl BindError {
    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> BindErrorKind {
        self.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&'static str, &str)], uri: &str) -> Option<u16> {
        check_at("127.0.0.1:8080", headers, uri)
    }

    fn check_at(bound: &str, headers: &[(&'static str, &str)], uri: &str) -> Option<u16> {
        let guard = Guard::new(bound.parse().expect("an address"), Access::Loopback);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a value"));
        }
        let uri = uri.parse().expect("a uri");
        guard.check(&map, &uri).err().map(|(status, _)| status.as_u16())
    }

    #[test]
    fn only_the_bound_address_without_an_origin_passes() {
        assert_eq!(check(&[("host", "127.0.0.1:8080")], "/"), None);
        assert_eq!(check(&[("host", "LOCALHOST:8080")], "/"), None);
        assert_eq!(check(&[], "http://127.0.0.1:8080/"), None);
        for host in
            ["evil.example", "127.0.0.1", "127.0.0.1:81", "127.0.0.1.evil.example:808080", ""]
        {
            assert_eq!(check(&[("host", host)], "/"), Some(421), "{host}");
        }
        assert_eq!(check(&[], "/"), Some(421));
        assert_eq!(check(&[("host", "127.0.0.1:8080")], "http://evil.example/"), Some(421));
        let own = ("host", "127.0.0.1:8080");
        assert_eq!(check(&[own, ("host", "evil.example")], "/"), Some(421));
        assert_eq!(check(&[own, ("origin", "null")], "/"), Some(403));
        for site in ["cross-site", "same-site", "x"] {
            assert_eq!(check(&[own, ("sec-fetch-site", site)], "/"), Some(403));
        }
        assert_eq!(check(&[own, ("sec-fetch-site", "none")], "/"), None);
        assert_eq!(check(&[own, ("sec-fetch-mode", "cors")], "/"), None);
        assert_eq!(check(&[own, ("upgrade", "websocket")], "/"), Some(426));
    }
    #[test]
    fn clients_leave_out_the_default_port() {
        let check = |bound, host| check_at(bound, &[("host", host)], "/");
        for host in ["127.0.0.1", "127.0.0.1:80", "localhost", "Localhost:80"] {
            assert_eq!(check("127.0.0.1:80", host), None, "{host}");
            assert!(check("127.0.0.1:8080", host).is_some(), "{host}");
        }
        assert_eq!(check("[::1]:80", "[::1]"), None);
        for host in ["127.0.0.1:81", "127.0.0.1.evil.example", "evil.example", "[::1]", ""] {
            assert_eq!(check("127.0.0.1:80", host), Some(421), "{host}");
        }
    }
}
