-- Every value that a trait was given: trait_rows keeps the newest alone. By the message that gave it, which `version` names.
CREATE TABLE IF NOT EXISTS trait_value_rows
(
    project_id LowCardinality(String),
    user       UInt128,
    version    UInt128,
    trait      LowCardinality(String),
    kind       Enum8('deleted' = 0, 'boolean' = 1, 'number' = 2, 'string' = 3, 'array' = 4, 'object' = 5),
    value      String CODEC(ZSTD(1))              -- JSON text as it was sent; '' where deleted
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, user, version, trait);

CREATE MATERIALIZED VIEW IF NOT EXISTS trait_value_rows_of_traits TO trait_value_rows AS
SELECT project_id, user, version, trait, kind, value
FROM trait_rows;

-- What there is of before: the newest values, and older ones that no merge has removed. A replay of analytics has them all.
INSERT INTO trait_value_rows (project_id, user, version, trait, kind, value)
SELECT project_id, user, version, trait, kind, value
FROM trait_rows
SETTINGS insert_deduplicate = 0, optimize_on_insert = 0;
