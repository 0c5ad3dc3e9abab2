/** What a caller asks of a service about live audiences. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ServiceProcess } from '../service/service.ts';

interface Saved {
  readonly id: string;
  readonly refresh: string | null;
  readonly live_through: string | null;
  readonly evaluation: { readonly members: number } | null;
}

interface Line {
  readonly user_id?: string;
  readonly change?: string;
  readonly cause?: string;
  readonly at?: string;
  readonly through?: string | null;
}

export const WITHIN_A_MINUTE = { timeout: 60_000, interval: 200 };

export function save(service: ServiceProcess, body: object): Promise<Saved> {
  return service.ask('/v1/audiences', body);
}

export function find(service: ServiceProcess, id: string): Promise<Saved> {
  return service.ask(`/v1/audiences/${id}`);
}

/** Lines of changes, and the last line. */
export async function changesSince(
  service: ServiceProcess,
  id: string,
  since: string | null | undefined,
  wait: number,
): Promise<Line[]> {
  for (;;) {
    const from = since ? `&since=${encodeURIComponent(since)}` : '';
    const answer = await service.request(`/v1/audiences/${id}/changes?wait=${wait}${from}`);
    expect(answer.status).toBe(200);
    const lines = (await answer.text()).trim().split('\n');
    const read = lines.map((line) => JSON.parse(line) as Line);
    if (read.length > 1 || wait === 0) return read;
    await delay(10);
  }
}

export function named(lines: readonly Line[]): string[] {
  return lines.flatMap(({ user_id: user, change }) => (change === undefined ? [] : [`${user} ${change}`]));
}

export async function track(service: ServiceProcess, user: string, event: string): Promise<void> {
  expect((await service.request('/v1/track', { user_id: user, event })).status).toBe(200);
}

export async function identify(service: ServiceProcess, user: string, traits: object): Promise<void> {
  expect((await service.request('/v1/identify', { user_id: user, traits })).status).toBe(200);
}

/** Whether the process of this service follows any live audience. */
export async function isFollowing({ url }: ServiceProcess): Promise<boolean> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^tidemark_live_audiences (\d+)$/mu.exec(metrics)?.[1]) > 0;
}
