-- A row per identify that counts, without its traits: that it is here, and which one gave a trait its version. A repeat
-- is not inserted; equal keys are one message inserted twice.
CREATE TABLE IF NOT EXISTS identify_rows
(
    project_id    LowCardinality(String),
    user          UInt128,
    version       UInt128,
    message_id    String,
    timestamp     DateTime64(6, 'UTC'),
    received_at   DateTime64(6, 'UTC'),
    log_topic     LowCardinality(String),
    log_partition UInt32,
    log_offset    UInt64,
    precedence    UInt64 DEFAULT 18446744073709551615 - log_offset
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, user, version, message_id);

CREATE OR REPLACE VIEW identifies AS
SELECT project_id, user, message_id, timestamp, received_at, version, log_topic, log_partition, log_offset
FROM identify_rows FINAL;
