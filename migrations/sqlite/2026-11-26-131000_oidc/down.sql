DROP TABLE oidc_accounts;
DROP TABLE oidc_providers;
