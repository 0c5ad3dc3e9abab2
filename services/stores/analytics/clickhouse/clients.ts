import type { ClickHouseClient } from '@clickhouse/client';
import type { Query } from '../analytics-store.ts';

/** Separate clients of one ClickHouse, so that queries and inserts do not wait for each other. */
export interface ClickHouseClients {
  readonly inserts: ClickHouseClient;
  /** Internal look-ups by key. */
  readonly lookups: ClickHouseClient;
  /** The same for each shard over which users are spread, in the database that has the tables. On one server `lookups`. */
  readonly lookupsByShard: readonly ClickHouseClient[];
  readonly questions: ClickHouseClient;
  /** Results of any length, sent while they are computed. */
  readonly streams: ClickHouseClient;
  /** Queries whose results are written to tables. */
  readonly evaluations: ClickHouseClient;
  /** Every server, in the database that is queried. Without a cluster this is `inserts`, and so is the next. */
  readonly servers: readonly ClickHouseClient[];
  /** A server of each shard, in the database that has the tables. */
  readonly shards: readonly ClickHouseClient[];
  /** Called when all of them are closed. */
  readonly release: () => Promise<void>;
}

/** Whom to ask for a look-up: the one that has all of it, where that is known. */
export function lookupsFor({ lookups, lookupsByShard }: ClickHouseClients, { shard }: Query): ClickHouseClient {
  return (shard?.of === lookupsByShard.length ? lookupsByShard[shard.index] : undefined) ?? lookups;
}
