//! Providers of OpenID Connect: services at which people have an account, such as Google. The
//! client secret itself is one that only `app` handles.

use crate::Time;
use crate::api_key::Sealed;
use crate::id::{OidcProviderId, UserId};
use crate::millis::minutes;
use crate::session::TokenDigest;
use crate::text::Text;
use crate::web_url::WebUrl;

/// The most providers of an organization.
pub const MOST_PROVIDERS: usize = 10;

/// The time that a person has for the sign-in at a provider, in milliseconds: 10 minutes.
pub const AWAY_MILLIS: i64 = minutes(10);

/// The name of a provider, its client, or a claim: 1 to 255 characters.
pub type ProviderText = Text<1, 255>;

/// The URL of an issuer, without a user, a query and a fragment (OpenID Connect Discovery 1.0, 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer(String);

/// The text is not the URL of an issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoIssuer;

impl Issuer {
    /// Checks the URL of an issuer. The text is kept as it is: it is compared with that of tokens.
    pub fn parse(text: &str) -> Result<Self, NoIssuer> {
        let url = WebUrl::parse(text).map_err(|_| NoIssuer)?;
        if url.has_user_info() || text.contains(['?', '#']) {
            return Err(NoIssuer);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A provider at which the people of an organization sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcProvider {
    /// The identifier. It is a part of the callback address.
    pub id: OidcProviderId,
    /// The name on the button.
    pub name: String,
    /// The issuer: the URL below which its description is.
    pub issuer: String,
    /// The name that the provider has for the portal.
    pub client_id: String,
    /// The sealed client secret.
    pub sealed: Sealed,
    /// The claims that tell who the person is.
    pub claims: ClaimNames,
    /// Whether the provider signs in members of the team, too.
    pub for_members: bool,
    /// When it was added.
    pub created_at: Time,
}

/// The names of the claims in which a provider tells who a person is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimNames {
    /// The address.
    pub email: String,
    /// Whether the provider has confirmed the address.
    pub email_verified: String,
    /// The name.
    pub name: String,
    /// The URL of a picture.
    pub picture: String,
}

/// The names of OpenID Connect Core 1.0, 5.1.
impl Default for ClaimNames {
    fn default() -> Self {
        let [email, email_verified, name, picture] =
            ["email", "email_verified", "name", "picture"].map(str::to_owned);
        Self { email, email_verified, name, picture }
    }
}

/// The account of a user at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcAccount {
    /// The digest of the issuer and the subject. No account has that of another one.
    pub digest: TokenDigest,
    /// The user.
    pub user_id: UserId,
    /// When the user signed in with it first.
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_a_url_without_user_query_and_fragment() {
        for good in ["https://accounts.example.com", "http://127.0.0.1:9000/realms/acme/"] {
            assert_eq!(Issuer::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "accounts.example.com",
            "ftp://accounts.example.com",
            "https://me:secret@accounts.example.com",
            "https://accounts.example.com?tenant=1",
            "https://accounts.example.com/#a",
        ] {
            assert_eq!(Issuer::parse(bad), Err(NoIssuer), "{bad}");
        }
    }
}
