import { expect } from 'vitest';
import { ADMIN_KEY, READ_KEY, type ServiceProcess } from './service.ts';

export interface ShownImport {
  readonly id: string;
  readonly state: string;
  readonly progress: { readonly lines: number; readonly accepted: number; readonly dropped: number } | null;
  readonly result: unknown;
}

type Answered = Readonly<Record<string, unknown>> & ShownImport;

export const IMPORTS = '/v1/admin/imports';

/** Imports of a service, as a script of an operator does them. */
export class ImportClient {
  readonly #service: () => ServiceProcess;

  constructor(service: () => ServiceProcess) {
    this.#service = service;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Answered; headers: Headers }> {
    const isBytes = Buffer.isBuffer(body);
    const response = await fetch(this.#service().url + path, {
      method,
      headers: { api_key: ADMIN_KEY, 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
      ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answered, headers: response.headers };
  }

  /** The id of the file. */
  async upload(text: string | Buffer, name = 'history.csv'): Promise<string> {
    const { status, body } = await this.send('POST', `${IMPORTS}/files?name=${name}`, Buffer.from(text));
    expect(status).toBe(201);
    return body.id;
  }

  /** The id of the import. */
  async start(request: object): Promise<string> {
    const { status, body, headers } = await this.send('POST', IMPORTS, { project: 'default', ...request });
    expect([status, headers.get('location')]).toEqual([202, `/v1/admin/jobs/${body.id}`]);
    return body.id;
  }

  async end(id: string): Promise<Answered> {
    for (;;) {
      const { body } = await this.send('GET', `${IMPORTS}/${id}?wait=30`);
      if (!['queued', 'running'].includes(body.state)) return body;
    }
  }

  async untilLines(id: string, least: number): Promise<void> {
    const lines = async (): Promise<number> => (await this.send('GET', `${IMPORTS}/${id}`)).body.progress?.lines ?? 0;
    await expect.poll(lines, { timeout: 60_000 }).toBeGreaterThanOrEqual(least);
  }

  async untilDropped(id: string): Promise<void> {
    const dropped = async () => (await this.send('GET', `${IMPORTS}/${id}`)).body.progress?.dropped;
    await expect.poll(dropped, { timeout: 60_000 }).toBeGreaterThan(0);
  }

  /** How many different messages of this event can be queried. */
  async countOf(event: string): Promise<number> {
    const response = await fetch(`${this.#service().url}/v1/events/counts`, {
      method: 'POST',
      headers: { api_key: READ_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ event, measure: 'count' }),
    });
    const { series } = (await response.json()) as { series: { values: number[] }[] };
    return series.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0);
  }
}

/** Lines of NDJSON with a time. */
export function historyLines(event: string, count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const timestamp = `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`;
    return `${JSON.stringify({ type: 'track', user_id: `u${n % 7}`, event, timestamp })}\n`;
  }).join('');
}
