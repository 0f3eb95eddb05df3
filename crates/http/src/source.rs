//! The sources of requests, as limits count them.

use std::net::IpAddr;

/// The source of a request. An IPv6 client has a whole network and can choose any address of it, so
/// the network counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    V4([u8; 4]),
    V6Network([u8; 8]),
}

impl From<IpAddr> for Source {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.octets()),
            IpAddr::V6(address) => {
                let [a, b, c, d, e, f, g, h, ..] = address.octets();
                Self::V6Network([a, b, c, d, e, f, g, h])
            }
        }
    }
}

/// The network of a client: the first 24 bits of an IPv4 address, or the first 64 of an IPv6 one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(Source);

impl Network {
    /// The bits, as bytes: those of an IPv4 network are fewer.
    pub fn to_bytes(self) -> Vec<u8> {
        match self.0 {
            Source::V4(bytes) => bytes.to_vec(),
            Source::V6Network(bytes) => bytes.to_vec(),
        }
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(match address.into() {
            Source::V4([a, b, c, _]) => Source::V4([a, b, c, 0]),
            network @ Source::V6Network(_) => network,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_the_first_part_of_an_address() {
        let network = |text: &str| Network::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.254"));
        assert_ne!(network("192.0.2.1"), network("192.0.3.1"));
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
    }

    #[test]
    fn an_ipv6_client_is_a_network_and_a_v4_address_may_be_written_as_v6() {
        let source = |text: &str| Source::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(source("2001:db8:1:2::1"), source("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(source("2001:db8:1:2::1"), source("2001:db8:1:3::1"));
        assert_eq!(source("::ffff:192.0.2.1"), source("192.0.2.1"));
        assert_ne!(source("192.0.2.1"), source("192.0.2.2"));
    }
}
