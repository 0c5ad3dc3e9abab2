-- For finding users by the beginning of their user id.
CREATE TABLE IF NOT EXISTS user_id_rows
(
    project_id  LowCardinality(String),
    user_id     String,                          -- the caller's
    internal_id String
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, user_id);

CREATE MATERIALIZED VIEW IF NOT EXISTS user_id_rows_of_users TO user_id_rows AS
SELECT project_id, user_id, internal_id
FROM user_rows
WHERE user_id != '';

INSERT INTO user_id_rows (project_id, user_id, internal_id)
SELECT project_id, user_id, internal_id
FROM user_rows
WHERE user_id != ''
SETTINGS insert_deduplicate = 0, optimize_on_insert = 0;
