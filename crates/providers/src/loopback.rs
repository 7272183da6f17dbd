use core::net::IpAddr;

/// Returns true if the host of a URL is this machine, to which no request may take a proxy.
///
/// This covers `localhost` and names below it, `127.0.0.0/8`, `::1` and the unspecified addresses,
/// in the spelling of a parsed URL. Names are not resolved.
///
/// ```
/// use aside_providers::is_loopback;
///
/// assert!(is_loopback("localhost") && is_loopback("[::1]"));
/// assert!(!is_loopback("localhost.example.com"));
/// ```
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    if name == "localhost" || name.ends_with(".localhost") {
        return true;
    }
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>().map(|it| it.to_canonical());
    address.is_ok_and(|it| it.is_loopback() || it.is_unspecified())
}
