import { setTimeout as sleep } from 'node:timers/promises';
import type { TestedProject } from '../project.ts';

/** Enough that every partition of every topic gets one. */
const USERS = 60;
const SESSIONS = 24;

/**
 * Resolves once the readers have passed everything that was sent before. Rejects after twice `patienceMs`.
 *
 * This is done twice: requests that were still under way the first time are on the log by the second.
 */
export async function caughtUp(door: string, project: TestedProject, patienceMs: number): Promise<void> {
  for (let times = 0; times < 2; times++) await passedOnce(door, project, patienceMs);
}

/**
 * Resolves once the readers have passed everything that the log held when it was called: messages of the rig's own are put
 * behind it, in every partition, and their receipts waited for. Rejects after `patienceMs`.
 */
async function passedOnce(door: string, project: TestedProject, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  const post = async (path: string, body: object): Promise<{ receipt?: string; result?: { receipt: string } }> => {
    const headers = { 'content-type': 'application/json', api_key: project.writeKey };
    const response = await fetch(door + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { receipt: string };
    if (response.status !== 200) throw new Error(`${path} is answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const users = Array.from({ length: USERS }, (_, index) => `probe ${index}`);
  const batch = users.flatMap((user_id) => [
    { type: 'track', user_id, event: 'Probed' },
    { type: 'identify', user_id, traits: { probed: true } },
  ]);
  const receipts = [(await post('/v1/batch', { batch })).receipt];
  for (const user_id of users.slice(0, SESSIONS)) {
    receipts.push((await post('/legacy/project-user', { user_id, anonymous: false })).result?.receipt);
  }
  for (const receipt of receipts) {
    while (!(await hasPassed(door, receipt ?? '', project))) {
      if (performance.now() > deadline) throw new Error(`the readers have not caught up within ${patienceMs} ms`);
      await sleep(200);
    }
  }
}

async function hasPassed(door: string, receipt: string, { readKey }: TestedProject): Promise<boolean> {
  const response = await fetch(`${door}/v1/receipts/${receipt}?wait=10`, { headers: { api_key: readKey } });
  const { projected, queryable } = (await response.json()) as { projected?: boolean; queryable?: boolean };
  return projected === true && queryable === true;
}
