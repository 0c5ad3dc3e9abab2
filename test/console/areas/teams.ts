import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { READ_KEY, WRITE_KEY } from '../../support/service/service.ts';
import type { Scene } from '../scene.ts';

export interface Saved {
  readonly id: string;
  readonly name: string;
}

/** What tests of audiences do over the interface, and where they look. */
export function teamsOf(scene: () => Scene) {
  const call = async <T>(method: string, path: string, body: object, key = READ_KEY): Promise<T> => {
    const response = await fetch(scene().url + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    expect([200, 201, 202], path).toContain(response.status);
    return (await response.json()) as T;
  };
  const send = async (team: string, users: readonly string[]): Promise<void> => {
    const batch = users.map((userId) => ({ type: 'identify', userId, traits: { team } }));
    await call('POST', '/v1/batch', { batch }, WRITE_KEY);
  };
  const sizeOf = async (definition: object): Promise<number> =>
    (await call<{ count: number }>('POST', '/v1/audiences/preview', { definition })).count;
  const evaluate = async ({ id }: Saved): Promise<unknown> => call('POST', `/v1/audiences/${id}/evaluate`, {});
  /** Users of a team, and the audience of that team, which has been counted with them in it. */
  const saveTeam = async (team: string, users: readonly string[]): Promise<Saved> => {
    const definition = { trait: 'team', is: team };
    await send(team, users);
    await expect.poll(() => sizeOf(definition)).toBe(users.length);
    const saved = await call<Saved>('POST', '/v1/audiences', { name: `Team ${team}`, definition });
    await evaluate(saved);
    return saved;
  };
  const pageOf = async ({ id, name }: Saved, query = ''): Promise<Page> => {
    const page = await scene().signedIn(`#/audiences/${id}${query}`);
    await page.getByRole('heading', { name }).waitFor();
    return page;
  };
  return { call, send, sizeOf, evaluate, saveTeam, pageOf };
}
