DROP TABLE spent_tokens;
DROP TABLE sign_ins;
DROP TABLE sessions;
