/**
 * The tables in which two peers keep events and people, with the columns that the questions need, and the questions as
 * one asks them there. PostHog: github.com/PostHog/posthog, posthog/clickhouse/migrations and models/event, person (2026);
 * OpenPanel: github.com/Openpanel-dev/openpanel, packages/db/code-migrations (8-order-keys). Neither counts a repeated
 * event once in such a question, so neither does here.
 */
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { NOW_MS, PROJECT, TRAITS, USERS } from './shape.ts';
import type { Question } from './questions.ts';

export interface Peer {
  readonly name: string;
  readonly tables: readonly string[];
  /** Fills the table of people: one row each. */
  readonly people: string;
  /** Fills the table of events from a SELECT of `track_rows`' columns. */
  readonly events: (selected: string) => string;
  readonly ask: (question: Question) => Query;
}

const TRAITS_TEXT = `concat('{', ${Object.entries(TRAITS)
  .map(([trait, json]) => `'"${trait}":', ${json}`)
  .join(", ',', ")}, '}')`;

const TRAITS_MAP = `map(${Object.entries(TRAITS)
  .map(([trait, json]) => `'${trait}', trim(BOTH '"' FROM ${json})`)
  .join(', ')})`;

const MAPPED = `CAST(arrayMap(pair -> (pair.1, trim(BOTH '"' FROM pair.2)), JSONExtractKeysAndValuesRaw(properties_text)),
  'Map(String, String)')`;

const POSTHOG: Peer = {
  name: 'day before event, JSON text (PostHog)',
  tables: [
    `CREATE TABLE IF NOT EXISTS posthog_events
     (uuid UUID, event String, properties String CODEC(ZSTD(3)), timestamp DateTime64(6, 'UTC'), team_id Int64,
      distinct_id String, person_id UUID, _timestamp DateTime)
     ENGINE = ReplacingMergeTree(_timestamp)
     PARTITION BY toYYYYMM(timestamp)
     ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid))`,
    `CREATE TABLE IF NOT EXISTS posthog_person
     (id UUID, created_at DateTime64(3), team_id Int64, properties String, is_identified Int8, is_deleted Int8, version UInt64)
     ENGINE = ReplacingMergeTree(version)
     ORDER BY (team_id, id)`,
  ],
  people: `
    INSERT INTO posthog_person
    SELECT reinterpretAsUUID(sipHash128(toUInt64(user_index))), '2025-11-20 12:00:00', 1, ${TRAITS_TEXT}, 1, 0, 1
    FROM (SELECT number AS user_index FROM numbers(${USERS}))`,
  events: (selected) => `
    INSERT INTO posthog_events
    SELECT toUUID(message_id), event, properties_text, timestamp, 1, toString(user), reinterpretAsUUID(user), received_at
    FROM (${selected})`,
  ask: ({ event, days, above, atLeast }) => ({
    sql: `SELECT count() AS count FROM (
            SELECT person_id FROM posthog_events
            WHERE team_id = 1 AND event = '${event}' AND timestamp >= ${since(days)} AND timestamp < ${now()}
              AND JSONExtractFloat(properties, 'total') > ${above}
            GROUP BY person_id HAVING count() >= ${atLeast})
          WHERE person_id IN (
            SELECT id FROM posthog_person WHERE team_id = 1
            GROUP BY id HAVING argMax(is_deleted, version) = 0 AND JSONExtractString(argMax(properties, version), 'plan') = 'pro')`,
    params: {},
  }),
};

const OPENPANEL: Peer = {
  name: 'time before event, Map (OpenPanel)',
  tables: [
    `CREATE TABLE IF NOT EXISTS openpanel_events
     (id UUID, name LowCardinality(String), profile_id String CODEC(ZSTD(3)), project_id String CODEC(ZSTD(3)),
      properties Map(String, String) CODEC(ZSTD(3)), created_at DateTime64(3) CODEC(DoubleDelta, ZSTD(3)),
      INDEX idx_name name TYPE bloom_filter GRANULARITY 1,
      INDEX idx_profile_id profile_id TYPE bloom_filter(0.01) GRANULARITY 1)
     ENGINE = MergeTree
     PARTITION BY toYYYYMM(created_at)
     ORDER BY (project_id, toDate(created_at), created_at, name)`,
    `CREATE TABLE IF NOT EXISTS openpanel_profiles
     (id String CODEC(ZSTD(3)), properties Map(String, String) CODEC(ZSTD(3)), project_id String CODEC(ZSTD(3)),
      created_at DateTime64(3) CODEC(Delta(4), LZ4), last_seen_at DateTime64(3) CODEC(Delta(4), LZ4))
     ENGINE = ReplacingMergeTree(last_seen_at)
     PARTITION BY toYYYYMM(created_at)
     ORDER BY (project_id, id)`,
  ],
  people: `
    INSERT INTO openpanel_profiles
    SELECT toString(reinterpretAsUInt128(sipHash128(toUInt64(user_index)))), ${TRAITS_MAP}, '${PROJECT}',
           '2025-11-20 12:00:00', '2026-11-20 11:00:00'
    FROM (SELECT number AS user_index FROM numbers(${USERS}))`,
  events: (selected) => `
    INSERT INTO openpanel_events
    SELECT toUUID(message_id), event, toString(user), project_id, ${MAPPED}, timestamp FROM (${selected})`,
  ask: ({ event, days, above, atLeast }) => ({
    sql: `SELECT count() AS count FROM (
            SELECT profile_id FROM openpanel_events
            WHERE project_id = '${PROJECT}' AND name = '${event}' AND created_at >= ${since(days)} AND created_at < ${now()}
              AND toFloat64OrZero(properties['total']) > ${above}
            GROUP BY profile_id HAVING count() >= ${atLeast})
          WHERE profile_id IN (
            SELECT id FROM openpanel_profiles FINAL WHERE project_id = '${PROJECT}' AND properties['plan'] = 'pro')`,
    params: {},
  }),
};

export const PEERS: readonly Peer[] = [POSTHOG, OPENPANEL];

function since(days: number): string {
  return `fromUnixTimestamp64Milli(${NOW_MS - days * 86_400_000}, 'UTC')`;
}

function now(): string {
  return `fromUnixTimestamp64Milli(${NOW_MS}, 'UTC')`;
}
