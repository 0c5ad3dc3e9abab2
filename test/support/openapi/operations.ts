/** The answers of what operators, machines and assistants ask that depend on headers or on the kind of a message. */
import { expect } from 'vitest';
import { OTHER_READ_KEY } from '../http/reading-server.ts';
import { IngestServer } from '../http/ingest-server.ts';
import type { Document, Operation } from './document.ts';

/** A request that is right in all its parts but those that are given. */
export interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that nothing kept answers: the summary of the first project is kept for ten seconds. */
export function afresh({ operationId }: Operation, body?: string): Request {
  const other = operationId === 'getSummary' ? { key: OTHER_READ_KEY } : {};
  return body === undefined ? other : { body, ...other };
}

export async function exchangeOperations(
  document: Document,
  exchange: (operation: Operation, request: Request) => Promise<number>,
  hold: (operation: Operation, response: Response) => Promise<void>,
): Promise<void> {
  for (const id of ['getOpenApi', 'getReference', 'getReferenceFile'])
    expect(await exchange(document.operation(id), { headers: { 'if-none-match': '*' } }), id).toBe(304);
  const closed = await IngestServer.start({ metricsKey: 'k'.repeat(32) });
  const response = await fetch(`${closed.url}/metrics`);
  await hold(document.operation('getMetrics'), response);
  await closed.stop();
  expect(response.status).toBe(401);
  const mcp = document.operation('callMcp');
  const message = (members: object) => ({ body: JSON.stringify({ jsonrpc: '2.0', ...members }) });
  const headers = { 'mcp-protocol-version': '1999-01-01' };
  expect(await exchange(mcp, message({ method: 'notifications/initialized' }))).toBe(202);
  expect(await exchange(mcp, { ...message({ id: 1, method: 'tools/list' }), headers })).toBe(400);
}
