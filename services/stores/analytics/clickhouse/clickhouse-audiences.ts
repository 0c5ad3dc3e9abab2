import type { ClickHouseClient } from '@clickhouse/client';
import type { Micros } from '../../../messages/message.ts';
import type {
  ChangesQuery,
  Difference,
  Evaluation,
  KeptHistory,
  Query,
  QueryLimits,
  QueryResult,
} from '../analytics-store.ts';
import {
  changesQuery,
  differenceQuery,
  differenceStatement,
  dropUncountedStatement,
  dropUnfinalizedStatement,
  forgetStatements,
  finalizedAtQuery,
  finalizeStatements,
  uncountedQuery,
  unfinalizedQuery,
} from '../audience-history-sql.ts';
import type { LiveChange, LiveEpoch, LiveHistory } from '../live-history.ts';
import { changeRows, type LiveRows, memberRows } from '../live-rows.ts';
import { pause } from '../../../runtime/pause.ts';
import { refuseIfStopping } from './ask.ts';
import { quotedName } from './deployment.ts';
import { insertError, questionError } from './errors.ts';
import { insertChunks, type InsertTarget } from './insert-rows.ts';
import { ClickHouseHistory, HISTORY_LIMITS, type HistoryParts } from './kept-history.ts';
import { writingSettings } from './settings.ts';

const DELETED_POLL_MS = 100;

export interface AudiencesParts {
  readonly client: ClickHouseClient;
  /** One for each server that has tables of its own, in the database `local`: a deletion runs on all of them. */
  readonly shards: readonly ClickHouseClient[];
  readonly local: string;
  readonly ask: (query: Query) => Promise<QueryResult>;
  /** The configured database. */
  readonly target: InsertTarget;
  /** For what a tick writes, which is little: it waits for no insert of the sink. */
  readonly liveTarget: InsertTarget;
  readonly database: string;
  readonly stopping: AbortSignal;
}

/** `AudienceHistory` and `LiveHistory` in ClickHouse (schemas/clickhouse/006-audiences.sql, 018-user-order.sql). */
export class ClickHouseAudiences implements LiveHistory {
  readonly #parts: AudiencesParts;
  readonly #base: string;
  readonly #local: string;

  constructor(parts: AudiencesParts) {
    this.#parts = parts;
    this.#base = quotedName(parts.database);
    this.#local = quotedName(parts.local);
  }

  async difference(evaluation: Evaluation, members: Query, limits: QueryLimits): Promise<Difference> {
    const { ask } = this.#parts;
    const unfinalized = (await ask(unfinalizedQuery(this.#base, evaluation))).rows.map(({ at }) => at as string);
    if (unfinalized.length > 0) await this.#delete(dropUnfinalizedStatement(this.#local, evaluation, unfinalized));
    await this.#run(differenceStatement(this.#base, evaluation, members), limits);
    const { rows } = await ask(differenceQuery(this.#base, evaluation));
    const [entered, left, before] = ['entered', 'left', 'before'].map((name) => Number(rows[0]?.[name]));
    if (entered === undefined || left === undefined || before === undefined) throw new Error('no row came');
    return { entered, left, members: before + entered - left };
  }

  async finalize(evaluation: Evaluation): Promise<void> {
    for (const statement of finalizeStatements(this.#base, evaluation)) await this.#run(statement, HISTORY_LIMITS);
  }

  async finalizedAt(projectId: string, audienceId: string): Promise<Micros | null> {
    const { rows } = await this.#parts.ask(finalizedAtQuery(this.#base, { projectId, audienceId }));
    const { at, n } = rows[0] as { at: string; n: string };
    return n === '0' ? null : BigInt(at);
  }

  async forget(projectId: string, audienceId: string): Promise<void> {
    const statements = forgetStatements(this.#local, { projectId, audienceId });
    for (const statement of statements) await this.#delete(statement);
  }

  changes(query: ChangesQuery): Query {
    return changesQuery(this.#base, query);
  }

  writeChanges(changes: readonly LiveChange[]): Promise<void> {
    return this.#insert(changeRows(changes));
  }

  writeMembers(changes: readonly LiveChange[]): Promise<void> {
    return this.#insert(memberRows(changes));
  }

  async dropUncounted(closed: readonly LiveEpoch[]): Promise<void> {
    // A deletion may end after its statement has.
    for (let isBegun = false; ; isBegun = true) {
      const [found] = (await this.#parts.ask(uncountedQuery(this.#base, closed))).rows;
      if (found?.['n'] === '0') return;
      if (!isBegun) await this.#delete(dropUncountedStatement(this.#local, closed));
      else await pause(DELETED_POLL_MS, this.#parts.stopping);
    }
  }

  async #insert({ table, columns, bytes }: LiveRows): Promise<void> {
    if (bytes.length === 0) return;
    refuseIfStopping(this.#parts.stopping);
    try {
      await insertChunks(this.#parts.liveTarget, table, columns, [bytes]);
    } catch (error) {
      throw insertError(error);
    }
  }

  /** @param rows Streams the rows of a query. */
  kept(rows: HistoryParts['rows']): KeptHistory {
    return new ClickHouseHistory({ ...this.#parts, base: this.#base, local: this.#local, rows });
  }

  async #delete(statement: Query): Promise<void> {
    for (const shard of this.#parts.shards) await this.#run(statement, HISTORY_LIMITS, shard);
  }

  async #run({ sql, params }: Query, limits: QueryLimits, client = this.#parts.client): Promise<void> {
    const { stopping } = this.#parts;
    try {
      await client.command({
        query: sql,
        query_params: params,
        clickhouse_settings: writingSettings(limits),
        abort_signal: stopping,
      });
    } catch (error) {
      refuseIfStopping(stopping);
      throw questionError(error, limits);
    }
  }
}
