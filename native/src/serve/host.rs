//! By which names the server may be asked.

use std::net::IpAddr;

/// Whether a request with this `Host` may be answered. A page of another site can make its own
/// name point here (DNS rebinding), but it can make no address and no `localhost` its own.
pub fn is_allowed(host: &str, allowed: &[String]) -> bool {
    let Some(name) = name(host) else {
        return false;
    };
    let address = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    if address.unwrap_or(name).parse::<IpAddr>().is_ok() {
        return true;
    }
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost") || allowed.contains(&name)
}

/// What is left of a host without its port; `None` if it is malformed.
fn name(host: &str) -> Option<&str> {
    let end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at_checked(end)?;
    let port = port.strip_prefix(':').unwrap_or(port);
    (port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn addresses_localhost_and_what_is_allowed_pass() {
        let allowed = ["tags.example.org".to_owned()];
        for host in [
            "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]",
            "[::1]:80",
            "localhost",
            "LocalHost:1",
            "a.localhost",
            "10.1.2.3:9",
            "tags.example.org",
            "Tags.Example.org.:443",
        ] {
            assert!(is_allowed(host, &allowed), "{host}");
        }
        for host in [
            "",
            ":",
            ":80",
            "example.org",
            "evil.tags.example.org",
            "127.0.0.1.evil.org",
            "localhost.evil.org",
            "[::1",
            "[]",
            "[evil.org]",
            "127.0.0.1@evil.org",
            "127.0.0.1:8x",
            "localhost:80:80",
            "tags.example.org..",
        ] {
            assert!(!is_allowed(host, &allowed), "{host}");
        }
    }
}
