-- Who entered and left the saved audiences. NOT made from the log: it is to be backed up, with the projects. It is kept in the
-- configured database alone, whatever generation of the other tables is asked.

-- A row for every user whom an evaluation found to have entered or left. Those of an evaluation that is not (yet) in
-- audience_evaluations do not count: it was not finished.
CREATE TABLE IF NOT EXISTS audience_changes
(
    project_id   LowCardinality(String),
    audience_id  String,
    evaluated_at DateTime64(6, 'UTC'),           -- names the evaluation
    user         UInt128,
    change       Enum8('left' = 0, 'entered' = 1),
    user_id      String,                          -- the caller's, as it was known then; '' where only the internal id was
    internal_id  String,
    version      UInt32,                          -- of the definition
    cause        LowCardinality(String)           -- first, definition (it was changed) or refresh
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, audience_id, evaluated_at, user);

-- Who was a member after the last evaluation: the newest change of each user.
CREATE TABLE IF NOT EXISTS audience_members
(
    project_id   LowCardinality(String),
    audience_id  String,
    user         UInt128,
    change       Enum8('left' = 0, 'entered' = 1),
    evaluated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(evaluated_at)
ORDER BY (project_id, audience_id, user);

-- The evaluations that count: noted after their changes, and after what audience_members has of them.
CREATE TABLE IF NOT EXISTS audience_evaluations
(
    project_id   LowCardinality(String),
    audience_id  String,
    evaluated_at DateTime64(6, 'UTC'),
    version      UInt32,
    cause        LowCardinality(String)
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, audience_id, evaluated_at);
