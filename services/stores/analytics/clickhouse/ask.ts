import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import { GOODBYE_MS } from '../../../runtime/watchdog/stop-times.ts';
import type { Query, QueryLimits, QueryResult } from '../analytics-store.ts';
import type { Deployment } from './deployment.ts';
import { questionError } from './errors.ts';
import { questionSettings } from './settings.ts';

interface JsonAnswer {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly statistics: { readonly rows_read: number; readonly bytes_read: number };
}

interface AskOptions {
  readonly deployment: Pick<Deployment, 'graceMs' | 'question'>;
  /** Ends what is asked. */
  readonly stopping: AbortSignal;
}

/** Runs a SELECT under these limits. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function askRows(
  client: ClickHouseClient,
  { sql, params }: Query,
  limits: QueryLimits,
  { deployment, stopping }: AskOptions,
): Promise<QueryResult> {
  refuseIfStopping(stopping);
  const startedMs = performance.now();
  const { graceMs, question } = deployment;
  const patience = graceMs === undefined ? [] : [AbortSignal.timeout(limits.maxMs + graceMs)];
  try {
    const result = await client.query({
      query: question?.(sql) ?? sql,
      query_params: params,
      format: 'JSON',
      clickhouse_settings: questionSettings(limits),
      abort_signal: AbortSignal.any([stopping, ...patience]),
    });
    const { data, statistics } = (await result.json()) as unknown as JsonAnswer;
    const { rows_read: rowsRead, bytes_read: bytesRead } = statistics;
    return { rows: data, tookMs: performance.now() - startedMs, rowsRead, bytesRead };
  } catch (error) {
    refuseIfStopping(stopping);
    throw questionError(error, limits);
  }
}

/** @throws TidemarkError `STOPPING`. */
export function refuseIfStopping(stopping: AbortSignal): void {
  if (stopping.aborted) throw new TidemarkError('STOPPING', 'analytics is being closed');
}

/**
 * Waits for what is under way; for 2 s where a server may stop responding: closing the clients ends what still waits for it.
 * Never rejects.
 */
export async function endSoon(
  { graceMs }: Pick<Deployment, 'graceMs'>,
  underWay: readonly Promise<unknown>[],
): Promise<void> {
  const ended = Promise.allSettled(underWay);
  await (graceMs === undefined ? ended : Promise.race([ended, delay(GOODBYE_MS, undefined, { ref: false })]));
}
