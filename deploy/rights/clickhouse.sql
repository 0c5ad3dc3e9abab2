-- Users of few rights in ClickHouse: docs/servers.md, "Users of few rights". To be run by a user with access management, on
-- every server, once. `tidemark` before a full stop is the database of ANALYTICS_URL, and before _g those of the generations
-- that replays make later. It makes users that nobody can sign in as before they have a password:
--   clickhouse-client --queries-file deploy/rights/clickhouse.sql
--   ALTER USER tidemark_sink IDENTIFIED BY '…' HOST ANY
CREATE USER IF NOT EXISTS tidemark_admin HOST NONE;
CREATE USER IF NOT EXISTS tidemark_ingest HOST NONE;
CREATE USER IF NOT EXISTS tidemark_sink HOST NONE;
CREATE USER IF NOT EXISTS tidemark_webhooks HOST NONE;

-- `tidemark migrate`, and an `ingest` with ADMIN=on, which replays, forgets people and deletes old events.
GRANT SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP, TRUNCATE, OPTIMIZE ON tidemark.* TO tidemark_admin;
GRANT SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP, TRUNCATE, OPTIMIZE ON tidemark_g*.* TO tidemark_admin;
GRANT SELECT ON system.parts TO tidemark_admin;
GRANT SELECT ON system.mutations TO tidemark_admin;
GRANT SELECT ON system.merge_tree_settings TO tidemark_admin;
GRANT TABLE ENGINE ON MergeTree TO tidemark_admin;
GRANT TABLE ENGINE ON ReplacingMergeTree TO tidemark_admin;
GRANT TABLE ENGINE ON AggregatingMergeTree TO tidemark_admin;
GRANT TABLE ENGINE ON Null TO tidemark_admin;

-- An `ingest` with ADMIN=off: reads, and evaluates saved audiences when it is asked to.
GRANT SELECT ON tidemark.* TO tidemark_ingest;
GRANT SELECT ON tidemark_g*.* TO tidemark_ingest;
GRANT INSERT, ALTER DELETE ON tidemark.audience_changes TO tidemark_ingest;
GRANT INSERT, ALTER DELETE ON tidemark.audience_evaluations TO tidemark_ingest;
GRANT INSERT, ALTER DELETE ON tidemark.audience_members TO tidemark_ingest;

-- A `sink`: inserts, forgets what it knows of ranges, keeps audiences up to date, shows a new generation in the views, and
-- tries rows that ClickHouse refused in tables of their own.
GRANT SELECT, INSERT, ALTER DELETE, CREATE TABLE, CREATE VIEW, DROP VIEW ON tidemark.* TO tidemark_sink;
GRANT SELECT, INSERT, ALTER DELETE ON tidemark_g*.* TO tidemark_sink;
GRANT DROP TABLE ON tidemark._tmp_replace_* TO tidemark_sink;
GRANT DROP TABLE ON tidemark.tried_* TO tidemark_sink;
GRANT CREATE TABLE, DROP TABLE ON tidemark_g*.* TO tidemark_sink;
GRANT TABLE ENGINE ON Null TO tidemark_sink;

-- A process of the role `webhooks`: reads what it sends.
GRANT SELECT ON tidemark.* TO tidemark_webhooks;
GRANT SELECT ON tidemark_g*.* TO tidemark_webhooks;
