//! Encryption of connections to PostgreSQL.

use crate::connection::OpenError;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The encryption of connections for an `sslmode`.
pub(crate) fn tls(mode: SslMode) -> Result<MakeRustlsConnect, OpenError> {
    // The provider is explicit, so that the default of another crate in the process has no effect.
    let provider = rustls::crypto::ring::default_provider();
    let algorithms = provider.signature_verification_algorithms;
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenError::Tls(Box::new(error)))?;
    let config = match mode {
        SslMode::Disable | SslMode::Prefer => config
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate { algorithms })),
        // `Require`, and any stricter mode that may be added.
        _ => config.with_root_certificates(system_roots()?),
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn system_roots() -> Result<RootCertStore, OpenError> {
    let mut roots = RootCertStore::empty();
    // Roots that cannot be parsed are left out, as is usual. A certificate that needs one of them
    // is refused.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() { Err(OpenError::NoRoots) } else { Ok(roots) }
}

/// Accepts any certificate. `prefer` promises no authenticity: an attacker with a certificate of
/// their own could also claim that the server has no TLS. But the server must have the key of the
/// certificate that it presents.
#[derive(Debug)]
struct AnyCertificate {
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
