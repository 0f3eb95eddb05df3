//! Looking names up: the hosts file, and then DNS.

use async_trait::async_trait;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ProtocolConfig, ResolveHosts,
    ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::udp::UdpClientStream;
use hickory_resolver::net::xfer::DnsExchange;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::read_system_conf;
use hickory_resolver::{ConnectionProvider, Hosts, PoolContext};
use std::fs::{File, metadata};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Looks a host name up.
#[async_trait]
pub(crate) trait Lookup: Send + Sync + 'static {
    /// All addresses of the name.
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The hosts file and the name servers of this machine.
///
/// Every name is absolute: search domains and options of `/etc/resolv.conf` have no effect. A name
/// in the hosts file has the addresses of the hosts file alone. The next look-up sees a change of
/// either file.
///
/// A look-up takes no thread. The runtime has 512 threads for blocking work, and look-ups that hang
/// would take them all.
pub(crate) struct Network {
    hosts_file: PathBuf,
    /// The name servers. Those of `/etc/resolv.conf` if there are none.
    name_servers: Vec<SocketAddr>,
    read: Mutex<Option<Arc<Sources>>>,
}

/// The sources of addresses, as the files were at a time.
struct Sources {
    stamps: Stamps,
    hosts: Hosts,
    servers: hickory_resolver::Resolver<Sockets>,
}

/// The times and lengths of the files. `None` if a file cannot be read.
type Stamps = [Option<(SystemTime, u64)>; 2];

const RESOLV_CONF: &str = "/etc/resolv.conf";

/// The time for a name server to respond. The query is sent again after that, to the next server if
/// there are several.
const RESPONSE: Duration = Duration::from_secs(2);

impl Network {
    /// The name servers of `/etc/resolv.conf` if `name_servers` is empty.
    pub(crate) fn new(name_servers: Vec<SocketAddr>) -> Self {
        Self { hosts_file: "/etc/hosts".into(), name_servers, read: Mutex::new(None) }
    }

    fn sources(&self) -> io::Result<Arc<Sources>> {
        let stamp = |path: &Path| {
            let metadata = metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        let stamps = [stamp(&self.hosts_file), stamp(Path::new(RESOLV_CONF))];
        // No panic can leave the sources half changed.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sources) = read.as_ref().filter(|sources| sources.stamps == stamps) {
            return Ok(Arc::clone(sources));
        }
        let mut hosts = Hosts::default();
        // Names of an unreadable hosts file are looked up by DNS.
        let _ = File::open(&self.hosts_file).and_then(|file| hosts.read_hosts_conf(file));
        let sources = Arc::new(Sources { stamps, hosts, servers: self.servers()? });
        Ok(Arc::clone(read.insert(sources)))
    }

    fn servers(&self) -> io::Result<hickory_resolver::Resolver<Sockets>> {
        let servers = if self.name_servers.is_empty() {
            let read = read_system_conf().map(|(config, _)| config.name_servers().to_vec());
            // The default of the C library.
            read.unwrap_or_else(|_| vec![NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into())])
        } else {
            self.name_servers.iter().copied().map(server).collect()
        };
        let mut options = ResolverOpts::default();
        options.timeout = RESPONSE;
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.use_hosts_file = ResolveHosts::Never;
        options.cache_size = 0;
        // A look-up that hangs has one socket for each type of address.
        options.num_concurrent_reqs = 1;
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        hickory_resolver::Resolver::builder_with_config(config, Sockets::default())
            .with_options(options)
            .build()
            .map_err(io::Error::other)
    }
}

fn server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    server.connections.iter_mut().for_each(|connection| connection.port = address.port());
    server
}

#[async_trait]
impl Lookup for Network {
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut name = Name::from_str_relaxed(name).map_err(io::Error::other)?;
        name.set_fqdn(true);
        let sources = self.sources()?;
        let of_hosts: Vec<IpAddr> = [RecordType::A, RecordType::AAAA]
            .into_iter()
            .map(|kind| Query::query(name.clone(), kind))
            .filter_map(|query| sources.hosts.lookup_static_host(&query))
            .flat_map(|found| {
                found
                    .answers()
                    .iter()
                    .filter_map(|record| record.data.ip_addr())
                    .collect::<Vec<_>>()
            })
            .collect();
        if !of_hosts.is_empty() {
            return Ok(of_hosts);
        }
        Ok(sources.servers.lookup_ip(name).await.map_err(io::Error::other)?.iter().collect())
    }
}

/// The connections to name servers. A query by UDP is sent once for each [`RESPONSE`]. Hickory's
/// own provider sends it up to three times, each from another socket that stays open.
#[derive(Clone, Default)]
struct Sockets(TokioRuntimeProvider);

impl ConnectionProvider for Sockets {
    type Conn = DnsExchange<TokioRuntimeProvider>;
    type FutureConn = <TokioRuntimeProvider as ConnectionProvider>::FutureConn;
    type RuntimeProvider = TokioRuntimeProvider;

    fn new_connection(
        &self,
        ip: IpAddr,
        config: &ConnectionConfig,
        context: &PoolContext,
    ) -> Result<Self::FutureConn, NetError> {
        if config.protocol != ProtocolConfig::Udp {
            return self.0.new_connection(ip, config, context);
        }
        let stream = UdpClientStream::builder((ip, config.port).into(), self.0.clone())
            .with_timeout(Some(RESPONSE))
            .with_max_retries(0);
        Ok(Box::pin(async { Ok(stream.exchange()) }))
    }

    fn runtime_provider(&self) -> &Self::RuntimeProvider {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::addresses;
    use std::fs;

    /// No name server answers at port 9, so every address is one of the file.
    #[tokio::test]
    async fn the_hosts_file_comes_first_and_is_read_again_after_a_change() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let servers = vec!["127.0.0.1:9".parse().unwrap()];
        let network = Network { hosts_file: file.path().into(), ..Network::new(servers) };
        for (text, found) in [
            ("127.0.0.2 a.example b.example # old", &["127.0.0.2"][..]),
            ("127.0.0.3 b.example\n::2 A.example\n127.0.0.4 a.example", &["127.0.0.4", "::2"]),
        ] {
            fs::write(file.path(), text).unwrap();
            for name in ["a.example", "a.example."] {
                assert_eq!(network.look_up(name).await.unwrap(), addresses(found), "{name}");
            }
        }
        // A name of this machine, in the file or not.
        let found = network.look_up("localhost").await.unwrap();
        assert_eq!(found, addresses(&["127.0.0.1", "::1"]));
        assert!(network.look_up("other.example").await.is_err());
    }
}
