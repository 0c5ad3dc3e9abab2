-- Keys that answer whether one user is in an audience, and nothing else.
alter table api_keys
    drop constraint api_keys_scopes,
    add constraint api_keys_scopes check (cardinality(scopes) > 0 and scopes <@ array['write', 'read', 'audiences', 'admin', 'flags']);
