/**
 * The tables in which two peers keep events, with the columns that the questions need, and the questions as one asks them
 * there: Plausible (github.com/plausible/analytics, priv/ingest_repo/migrations, events_v2) and PostHog (as in
 * ../audience/layouts.ts). Neither counts a repeated event once, so neither does here; days are those of UTC.
 */
import type { Question } from './questions.ts';

export interface Peer {
  readonly name: string;
  readonly table: string;
  /** Fills it from `track_rows`. */
  readonly fill: string;
  readonly ask: (question: Question) => string;
}

const SINCE = `timestamp >= '2026-08-22 00:00:00'`;

export const PEERS: readonly Peer[] = [
  {
    name: 'site, day, name, user (Plausible)',
    table: `CREATE TABLE IF NOT EXISTS plausible_events
      (timestamp DateTime, name LowCardinality(String), site_id UInt64, user_id UInt64, \`meta.key\` Array(String), \`meta.value\` Array(String))
      ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp)
      PRIMARY KEY (site_id, toDate(timestamp), name, user_id) ORDER BY (site_id, toDate(timestamp), name, user_id, timestamp)`,
    fill: `INSERT INTO plausible_events SELECT toDateTime(timestamp), event, 1, toUInt64(user),
      ['screen'], [JSONExtractString(properties_text, 'screen')] FROM track_rows WHERE ${SINCE}`,
    ask: ({ event, from, to, isSplit }) =>
      `SELECT toDate(timestamp) AS day, ${isSplit ? `meta.value[indexOf(meta.key, 'screen')] AS screen, ` : ''}count() AS n
       FROM plausible_events WHERE site_id = 1 AND name = '${event}' AND timestamp >= '${from}' AND timestamp < '${to}'
       GROUP BY ALL`,
  },
  {
    name: 'day before event, JSON text (PostHog)',
    table: `CREATE TABLE IF NOT EXISTS posthog_counts
      (uuid UUID, event String, properties String CODEC(ZSTD(3)), timestamp DateTime64(6, 'UTC'), team_id Int64, distinct_id String)
      ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp)
      ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid))`,
    fill: `INSERT INTO posthog_counts SELECT toUUID(message_id), event, properties_text, timestamp, 1, toString(user)
      FROM track_rows WHERE ${SINCE}`,
    ask: ({ event, from, to, isSplit }) =>
      `SELECT toDate(timestamp) AS day, ${isSplit ? `replaceRegexpAll(JSONExtractRaw(properties, 'screen'), '^"|"$', '') AS screen, ` : ''}count() AS n
       FROM posthog_counts WHERE team_id = 1 AND event = '${event}' AND timestamp >= '${from}' AND timestamp < '${to}'
       GROUP BY ALL`,
  },
];
