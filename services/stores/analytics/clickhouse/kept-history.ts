import type { ClickHouseClient } from '@clickhouse/client';
import type { HistoryTable, KeptHistory, Query, QueryLimits } from '../analytics-store.ts';
import { clearStatements, deriveMembersStatement, historyRowsQuery } from '../audience-history-sql.ts';
import type { LiveEpoch } from '../live-history.ts';
import { insertError, questionError } from './errors.ts';
import { insertLines, type InsertTarget } from './insert-rows.ts';
import { writingSettings } from './settings.ts';

/** The limits for writing the result of a finished evaluation: as much as it takes. */
export const HISTORY_LIMITS: QueryLimits = { maxMs: 600_000, maxMemoryBytes: 2 ** 32, maxRowsRead: 2 ** 40 };

export interface HistoryParts {
  readonly base: string;
  readonly local: string;
  readonly client: Pick<ClickHouseClient, 'command'>;
  readonly shards: readonly Pick<ClickHouseClient, 'command'>[];
  readonly target: InsertTarget;
  readonly rows: (query: Query) => Promise<AsyncIterable<Uint8Array>>;
}

/** `KeptHistory` in ClickHouse (schemas/clickhouse/006-audiences.sql). */
export class ClickHouseHistory implements KeptHistory {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  rows(table: HistoryTable): Promise<AsyncIterable<Uint8Array>> {
    return this.#parts.rows(historyRowsQuery(this.#parts.base, table));
  }

  async clear(): Promise<void> {
    const { local, shards } = this.#parts;
    for (const statement of clearStatements(local)) for (const shard of shards) await runOn(shard, statement);
  }

  async insert(table: HistoryTable, lines: Uint8Array): Promise<void> {
    try {
      await insertLines(this.#parts.target, table, lines);
    } catch (error) {
      throw insertError(error);
    }
  }

  deriveMembers(epochs: readonly LiveEpoch[]): Promise<void> {
    return runOn(this.#parts.client, deriveMembersStatement(this.#parts.base, epochs));
  }
}

async function runOn(client: Pick<ClickHouseClient, 'command'>, { sql, params }: Query): Promise<void> {
  try {
    await client.command({
      query: sql,
      query_params: params,
      clickhouse_settings: writingSettings(HISTORY_LIMITS),
    });
  } catch (error) {
    throw questionError(error, HISTORY_LIMITS);
  }
}
