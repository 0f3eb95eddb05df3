DROP TABLE sso_secrets;
