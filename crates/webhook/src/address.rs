//! The guard of addresses: the policy for the addresses of receivers.
//!
//! This machine connects to the address of each receiver, and it may stand in a private network,
//! beside services of its own or a cloud's metadata service. So deliveries go to the public
//! internet only, unless the operator allows private networks.

use hearback_domain::web_url::MAX_URL;
use hearback_domain::webhook_subscription::{NoWebhookUrl, WebhookUrl};
use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// The policy for the addresses of receivers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Whether deliveries may go to private networks and without encryption, for tests and
    /// intranets.
    pub allows_private_networks: bool,
    /// The allowed ports. `None` allows all.
    pub ports: Option<Vec<u16>>,
}

/// The policy refuses a URL. No part of the URL is quoted, since it may hold a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// The text is not an `http` or `https` URL with a host, or is too long.
    #[error("expected an http:// or https:// URL with a host and at most {MAX_URL} characters")]
    NoUrl,
    /// The URL names a user. Its password would be stored in the clear.
    #[error("expected a URL without a user")]
    UserInfo,
    /// The URL is an `http` URL, and private networks are not allowed.
    #[error("expected https://")]
    Unencrypted,
    /// The port is not one of the allowed ports.
    #[error("the port is not allowed")]
    Port,
    /// The host is an address outside of the public internet.
    #[error("the host is in a private or reserved network")]
    NotPublic,
}

impl Policy {
    /// Checks a receiver's URL as far as that needs no look-up of its host.
    pub fn check(&self, url: &str) -> Result<(), BadAddress> {
        self.target(url).map(|_| ())
    }

    /// Parses a receiver's URL. The addresses of a host name have to be [checked](Self::allows)
    /// after its look-up.
    pub(crate) fn target(&self, url: &str) -> Result<Url, BadAddress> {
        // The first parser is strict. The second one accepts line ends, backslashes and an empty
        // user.
        WebhookUrl::parse(url).map_err(|error| match error {
            NoWebhookUrl::NoWebUrl => BadAddress::NoUrl,
            NoWebhookUrl::UserInfo => BadAddress::UserInfo,
        })?;
        let url = Url::parse(url).map_err(|_| BadAddress::NoUrl)?;
        if url.scheme() != "https" && !self.allows_private_networks {
            return Err(BadAddress::Unencrypted);
        }
        let port = url.port_or_known_default().ok_or(BadAddress::NoUrl)?;
        if self.ports.as_ref().is_some_and(|ports| !ports.contains(&port)) {
            return Err(BadAddress::Port);
        }
        // The parser has made one address of every spelling: octal, one number, full-width digits.
        let is_allowed = match url.host().ok_or(BadAddress::NoUrl)? {
            Host::Domain(_) => true,
            Host::Ipv4(address) => self.allows(address.into()),
            Host::Ipv6(address) => self.allows(address.into()),
        };
        if is_allowed { Ok(url) } else { Err(BadAddress::NotPublic) }
    }

    /// Whether the policy allows connections to an address.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        self.allows_private_networks
            || match address {
                IpAddr::V4(address) => is_public(address),
                IpAddr::V6(address) => {
                    embedded(address).map_or_else(|| is_public_v6(address), is_public)
                }
            }
    }
}

fn is_public(address: Ipv4Addr) -> bool {
    !SPECIAL.iter().any(|net| net.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    GLOBAL_V6.contains(&address) && !SPECIAL_V6.iter().any(|net| net.contains(&address))
}

/// The IPv4 address inside of an IPv6 address: mapped (`::ffff:0:0/96`), of NAT64 (`64:ff9b::/96`)
/// or of 6to4 (`2002::/16`).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (high, low) = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

/// The IPv4 networks outside of the public internet: IANA's special-purpose address registry,
/// multicast and reserved networks. `192.0.0.0/24` and `192.88.99.0/24` are refused whole: their
/// few public anycast addresses are no receivers.
const SPECIAL: [Ipv4Net; 16] = [
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    // Public by the registry, but the address of a large cloud's metadata service.
    v4([168, 63, 129, 16], 32),
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
];

/// The IPv6 addresses of the public internet.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0], 3);

/// The exceptions from [`GLOBAL_V6`]: protocols of the IETF (among them Teredo, whose IPv4 address
/// is that of a relay), and documentation.
const SPECIAL_V6: [Ipv6Net; 3] =
    [v6([0x2001, 0], 23), v6([0x2001, 0xdb8], 32), v6([0x3fff, 0], 20)];

const fn v4([a, b, c, d]: [u8; 4], length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6([a, b]: [u16; 2], length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PUBLIC: Policy = Policy { allows_private_networks: false, ports: None };
    const PRIVATE: Policy = Policy { allows_private_networks: true, ports: None };

    #[test]
    fn a_url_is_good_or_refused_for_its_reason() {
        let with_ports = |ports: &[u16], policy| Policy { ports: Some(ports.to_vec()), ..policy };
        let (two, none) = (with_ports(&[443, 8443], PUBLIC), with_ports(&[], PUBLIC));
        let private_8080 = with_ports(&[8080], PRIVATE);
        for (policy, url, result) in [
            (&PUBLIC, "https://receiver.example/hook", Ok(())),
            (&PUBLIC, "HTTPS://Receiver.Example:8443/hook?token=a@b#c", Ok(())),
            (&PUBLIC, "https://bücher.example/", Ok(())),
            (&PUBLIC, "https://receiver.example./", Ok(())),
            (&PUBLIC, "https://8.8.8.8/", Ok(())),
            (&PUBLIC, "https://134744072/", Ok(())),
            (&PUBLIC, "https://[2606:4700:4700::1111]/", Ok(())),
            (&PUBLIC, "https://[::ffff:8.8.8.8]/", Ok(())),
            (&PUBLIC, "https://[64:ff9b::8.8.8.8]/", Ok(())),
            (&PUBLIC, "https://[2002:808:808::1]/", Ok(())),
            (&PUBLIC, "", Err(BadAddress::NoUrl)),
            (&PUBLIC, "receiver.example", Err(BadAddress::NoUrl)),
            (&PUBLIC, "ftp://receiver.example/", Err(BadAddress::NoUrl)),
            (&PUBLIC, "https://", Err(BadAddress::NoUrl)),
            (&PUBLIC, "https://a b/", Err(BadAddress::NoUrl)),
            (&PUBLIC, "https://xn--a.example/", Err(BadAddress::NoUrl)),
            (&PUBLIC, "https://1.2.3.4.5/", Err(BadAddress::NoUrl)),
            (&PUBLIC, "https://256.256.256.256/", Err(BadAddress::NoUrl)),
            (&PUBLIC, "https://me:secret@receiver.example/", Err(BadAddress::UserInfo)),
            (&PUBLIC, "https://@receiver.example/", Err(BadAddress::UserInfo)),
            (&PUBLIC, "http://receiver.example/", Err(BadAddress::Unencrypted)),
            (&PUBLIC, "http://127.0.0.1/", Err(BadAddress::Unencrypted)),
            (&PUBLIC, "https://127.0.0.1/", Err(BadAddress::NotPublic)),
            (&PUBLIC, "https://[::1]/", Err(BadAddress::NotPublic)),
            (&PRIVATE, "http://127.0.0.1:8080/", Ok(())),
            (&PRIVATE, "http://[::1]/", Ok(())),
            (&PRIVATE, "https://10.0.0.1/", Ok(())),
            (&PRIVATE, "http://localhost/", Ok(())),
            (&PRIVATE, "http://0.0.0.0/", Ok(())),
            (&PRIVATE, "http://me@127.0.0.1/", Err(BadAddress::UserInfo)),
            (&PRIVATE, "ftp://127.0.0.1/", Err(BadAddress::NoUrl)),
            (&private_8080, "http://127.0.0.1:8080/", Ok(())),
            (&private_8080, "http://127.0.0.1/", Err(BadAddress::Port)),
            (&two, "https://receiver.example/", Ok(())),
            (&two, "https://receiver.example:443/", Ok(())),
            (&two, "https://receiver.example:8443/", Ok(())),
            (&two, "https://receiver.example:80/", Err(BadAddress::Port)),
            (&two, "https://receiver.example:65535/", Err(BadAddress::Port)),
            (&none, "https://receiver.example/", Err(BadAddress::Port)),
        ] {
            assert_eq!(policy.check(url), result, "{policy:?} {url}");
        }
    }

    fn allows(address: &str) -> bool {
        PUBLIC.allows(address.parse().unwrap())
    }

    /// The addresses before and behind a range, except at the ends of the address space.
    fn beside(first: IpAddr, last: IpAddr) -> Vec<IpAddr> {
        match (first, last) {
            (IpAddr::V4(first), IpAddr::V4(last)) => {
                let bits = [first.to_bits().checked_sub(1), last.to_bits().checked_add(1)];
                bits.into_iter().flatten().map(|bits| Ipv4Addr::from_bits(bits).into()).collect()
            }
            (IpAddr::V6(first), IpAddr::V6(last)) => {
                let bits = [first.to_bits().checked_sub(1), last.to_bits().checked_add(1)];
                bits.into_iter().flatten().map(|bits| Ipv6Addr::from_bits(bits).into()).collect()
            }
            _ => panic!("{first} and {last} are of two versions"),
        }
    }

    #[test]
    fn each_special_range_is_refused_from_its_first_address_to_its_last() {
        for (first, last) in [
            ("0.0.0.0", "0.255.255.255"),
            ("10.0.0.0", "10.255.255.255"),
            ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"),
            ("168.63.129.16", "168.63.129.16"),
            ("169.254.0.0", "169.254.255.255"),
            ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"),
            ("192.0.2.0", "192.0.2.255"),
            ("192.88.99.0", "192.88.99.255"),
            ("192.168.0.0", "192.168.255.255"),
            ("198.18.0.0", "198.19.255.255"),
            ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"),
            ("224.0.0.0", "255.255.255.255"),
            ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ] {
            assert!(!allows(first), "{first}");
            assert!(!allows(last), "{last}");
            for address in beside(first.parse().unwrap(), last.parse().unwrap()) {
                assert!(PUBLIC.allows(address), "{address}");
            }
        }
    }

    #[test]
    fn an_address_is_judged_by_its_embedded_address() {
        for address in [
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b::192.168.1.1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe:1:2:3:4:5",
            // Compatible, translated, of a private NAT64, of Teredo, of ISATAP in a private
            // network.
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b:0:1::8.8.8.8",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "fe80::5efe:8.8.8.8",
        ] {
            assert!(!allows(address), "{address}");
        }
        for address in [
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::",
            "2002:808:808:ffff:ffff:ffff:ffff:ffff",
            "2003::",
        ] {
            assert!(allows(address), "{address}");
        }
    }

    proptest! {
        #[test]
        fn an_embedded_address_is_judged_as_if_it_stood_alone(bits: u32, rest: u64, subnet: u16) {
            let address = Ipv4Addr::from_bits(bits);
            let alone = PUBLIC.allows(address.into());
            let prefixed = |prefix: u128| Ipv6Addr::from_bits(prefix | u128::from(bits));
            prop_assert_eq!(PUBLIC.allows(prefixed(0xffff << 32).into()), alone);
            prop_assert_eq!(PUBLIC.allows(prefixed(0x0064_ff9b << 96).into()), alone);
            let tunnelled = 0x2002 << 112 | u128::from(bits) << 80 | u128::from(subnet) << 64 | u128::from(rest);
            prop_assert_eq!(PUBLIC.allows(Ipv6Addr::from_bits(tunnelled).into()), alone);
        }

        #[test]
        fn every_spelling_of_an_address_is_judged_alike(bits: u32) {
            let [a, b, c, d] = bits.to_be_bytes();
            let address = Ipv4Addr::from_bits(bits);
            let good = if PUBLIC.allows(address.into()) { Ok(()) } else { Err(BadAddress::NotPublic) };
            for host in [
                format!("{address}"),
                format!("{address}."),
                format!("{bits}"),
                format!("0x{bits:x}"),
                format!("0{bits:o}"),
                format!("{a}.{}", bits & 0xff_ffff),
                format!("{a}.{b}.{}", bits & 0xffff),
                format!("0x{a:x}.0{b:o}.{c}.0x{d:X}"),
            ] {
                prop_assert_eq!(PUBLIC.check(&format!("https://{host}/")), good, "{}", host);
            }
        }
    }
}
