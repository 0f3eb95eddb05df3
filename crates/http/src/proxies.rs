//! The client of a request that comes through reverse proxies, by the trusted part of
//! `X-Forwarded-For`.

use actix_web::http::header::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// The networks of the trusted reverse proxies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// The text is not a list of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoNetworks;

impl TrustedProxies {
    /// Parses networks and addresses, such as `127.0.0.1,10.0.0.0/8`.
    pub fn parse(text: &str) -> Result<Self, NoNetworks> {
        let network = |text: &str| {
            text.parse()
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| NoNetworks)
        };
        text.split(',').map(str::trim).map(network).collect::<Result<_, _>>().map(Self)
    }

    /// The address of the client of a request from `peer`.
    ///
    /// Each proxy appends the address of its client. So the header is read from the right, as long
    /// as a trusted proxy has appended the entry. With an unreadable entry, the client is `peer`.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return peer;
        }
        let mut client = peer;
        // A header that is not text has no address either.
        let lists =
            headers.get_all(X_FORWARDED_FOR).rev().map(|list| list.to_str().unwrap_or_default());
        for entry in lists.flat_map(|list| list.rsplit(',')) {
            let Some(address) = address(entry.trim()) else { return peer };
            client = address;
            if !self.trusts(address) {
                break;
            }
        }
        client
    }

    /// Returns whether an address is one of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The form that [`TrustedProxies::parse`] takes.
impl fmt::Display for TrustedProxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, network) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{network}")?;
        }
        Ok(())
    }
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Some proxies append a port, or the brackets of an IPv6 address without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address =
        bare.parse().or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    #[test]
    fn an_address_may_be_in_brackets_and_have_a_port() {
        for written in ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443"] {
            assert_eq!(client("127.0.0.1", &[written]), "2001:db8::1", "{written}");
        }
    }

    #[test]
    fn the_displayed_form_can_be_parsed() {
        let proxies = TrustedProxies::parse("127.0.0.1, 10.0.0.0/8,fd00::/8").unwrap();
        assert_eq!(proxies.to_string(), "127.0.0.1/32,10.0.0.0/8,fd00::/8");
        assert_eq!(TrustedProxies::parse(&proxies.to_string()), Ok(proxies));
        assert_eq!(TrustedProxies::default().to_string(), "");
    }

    const PROXY: &str = "10.1.2.3";

    /// The client of a request from `peer` with these headers. The trusted networks are 127.0.0.1,
    /// 10.0.0.0/8 and fd00::/8.
    fn client(peer: &str, forwarded: &[&str]) -> String {
        let proxies = TrustedProxies::parse("127.0.0.1, 10.0.0.0/8,fd00::/8").unwrap();
        let mut headers = HeaderMap::new();
        for list in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(list.as_bytes()).unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn an_untrusted_peer_is_the_client() {
        for peer in ["203.0.113.7", "127.0.0.2", "11.0.0.1", "2001:db8::1"] {
            assert_eq!(client(peer, &["198.51.100.9"]), peer);
        }
    }

    #[test]
    fn entries_left_of_the_client_are_ignored() {
        assert_eq!(client(PROXY, &["198.51.100.9"]), "198.51.100.9");
        assert_eq!(client(PROXY, &["1.1.1.1, nonsense,198.51.100.9 "]), "198.51.100.9");
        assert_eq!(client("fd00::5", &["2001:db8::1"]), "2001:db8::1");
        assert_eq!(client("::ffff:10.1.2.3", &["198.51.100.9"]), "198.51.100.9");
    }

    #[test]
    fn proxies_behind_proxies_are_passed_over() {
        assert_eq!(
            client("127.0.0.1", &["198.51.100.9, 10.9.9.9", "fd00::1,10.2.2.2"]),
            "198.51.100.9"
        );
        assert_eq!(client("127.0.0.1", &["1.1.1.1, 198.51.100.9", "10.2.2.2"]), "198.51.100.9");
        assert_eq!(
            client("127.0.0.1", &["10.9.9.9, 10.2.2.2"]),
            "10.9.9.9",
            "a client on the inside"
        );
    }

    #[test]
    fn a_trusted_peer_without_a_valid_header_is_the_client() {
        for forwarded in [
            &[][..],
            &[""],
            &["unknown"],
            &["198.51.100.9,"],
            &["198.51.100.9, é"],
            &["_x, 10.2.2.2"],
            &["1.2.3"],
        ] {
            assert_eq!(client(PROXY, forwarded), PROXY, "{forwarded:?}");
        }
    }

    #[test]
    fn an_address_may_have_a_port_and_a_v4_address_may_be_written_as_v6() {
        assert_eq!(client(PROXY, &["198.51.100.9:5555"]), "198.51.100.9");
        assert_eq!(client(PROXY, &["[2001:db8::1]:5555"]), "2001:db8::1");
        assert_eq!(client(PROXY, &["::ffff:198.51.100.9"]), "198.51.100.9");
    }

    #[test]
    fn networks_are_a_list() {
        for text in
            ["", ",", "10.0.0.0/33", "10.0.0.0/8,", "localhost", "10.0.0.0/8;127.0.0.1", "10/8"]
        {
            assert_eq!(TrustedProxies::parse(text), Err(NoNetworks), "{text}");
        }
    }
}
