import { beforeEach, expect, test } from 'vitest';
import type { WaitingLetter } from '../../services/messages/dead-letter.ts';
import { noteDeadLetters, wantsDeadLetters } from '../../services/webhooks/dead-letter-notices.ts';
import { SqlEndpointClaims } from '../../services/webhooks/sql-endpoint-claims.ts';
import type { SqlEndpointStore } from '../../services/webhooks/sql-endpoint-store.ts';
import { emptiedEndpoints } from '../contract/endpoint-claims.ts';
import { SETTINGS } from '../contract/endpoint-store.ts';
import { sharedDatabase } from '../support/stores/database.ts';

const database = sharedDatabase();
const WANTING = { ...SETTINGS, types: ['dead_letter.waiting'] as const };
const ATTEMPT = { atMs: 5, status: 200, error: null, tookMs: 3, answer: 'ok' };

let store: SqlEndpointStore;
let project: string;
let other: string;

beforeEach(async () => {
  ({ store, project, other } = await emptiedEndpoints(database()));
});

/** The dead letter that was appended at this millisecond, of this project. */
function letter(n: number, of: Partial<WaitingLetter> = {}): WaitingLetter {
  const reason = { code: 'STORE_REJECTED', error: 'STORE_REJECTED: no', reader: 'sink', failedAt: 1_000_000n };
  const topic = 'tidemark.track';
  return { id: `${topic}/0/${n}`, topic, projectId: project, appendedAtMs: n, ...reason, ...of };
}

async function endpoint(projectId: string | null): Promise<string> {
  return (await store.create(projectId, WANTING)).endpoint.id;
}

/** The members `data` of all messages for it, oldest first. */
async function noticesOf(id: string): Promise<readonly Record<string, unknown>[]> {
  const sql = 'select notice from endpoint_deliveries where endpoint_id = $1 order by sequence';
  const rows = await database().query<{ readonly notice: string }>(sql, [id]);
  return rows.map(({ notice }) => JSON.parse(notice) as Record<string, unknown>);
}

/** Delivers what waits for any endpoint. */
async function deliverAll(): Promise<void> {
  const claims = new SqlEndpointClaims(database());
  for (let claim = await claims.claimDue(60_000, ''); claim; claim = await claims.claimDue(60_000, '')) {
    const waiting = await claims.waiting(claim);
    if (waiting !== undefined) await claims.delivered(claim, waiting, ATTEMPT);
    await claims.release(claim);
  }
}

async function anHourPasses(): Promise<void> {
  await database().query('update endpoint_dead_letters set told_at_ms = told_at_ms - 3600000');
}

test('an endpoint is told of the first dead letter of each reason, and of no more within the hour', async () => {
  const id = await endpoint(project);
  const another = { code: 'MESSAGE_UNDECODABLE', error: 'MESSAGE_UNDECODABLE: no' };

  await noteDeadLetters(database(), [letter(1), letter(2), letter(3, another)], true);
  await deliverAll();
  await noteDeadLetters(database(), [letter(1), letter(2), letter(3, another), letter(4)], true);

  expect(await noticesOf(id)).toEqual([
    {
      id: 'tidemark.track/0/2',
      topic: 'tidemark.track',
      project_id: project,
      code: 'STORE_REJECTED',
      error: 'STORE_REJECTED: no',
      reader: 'sink',
      failed_at: '1970-01-01T00:00:01.000000Z',
      waiting: 2,
    },
    expect.objectContaining({ id: 'tidemark.track/0/3', code: 'MESSAGE_UNDECODABLE', waiting: 1 }),
  ]);
});

test('an hour later an endpoint is told of newer dead letters, and of none if there are none', async () => {
  const id = await endpoint(project);
  await noteDeadLetters(database(), [letter(1)], true);
  await deliverAll();

  await anHourPasses();
  await noteDeadLetters(database(), [letter(1)], true);
  expect(await noticesOf(id)).toHaveLength(1);
  await noteDeadLetters(database(), [letter(1), letter(2)], true);

  expect((await noticesOf(id))[1]).toMatchObject({ id: 'tidemark.track/0/2', waiting: 2 });
});

test('an endpoint that has not taken the last message gets no second one of the same reason', async () => {
  const id = await endpoint(project);
  await noteDeadLetters(database(), [letter(1)], true);
  await anHourPasses();

  await noteDeadLetters(database(), [letter(1), letter(2)], true);
  expect(await noticesOf(id)).toHaveLength(1);
  await deliverAll();
  await noteDeadLetters(database(), [letter(1), letter(2)], true);

  expect(await noticesOf(id)).toHaveLength(2);
});

test('once the last was settled, the next dead letter is told of at once', async () => {
  const id = await endpoint(project);
  await noteDeadLetters(database(), [letter(1)], true);

  await noteDeadLetters(database(), [], false);
  await noteDeadLetters(database(), [letter(2)], true);
  expect(await noticesOf(id)).toHaveLength(1);
  await noteDeadLetters(database(), [], true);
  await noteDeadLetters(database(), [letter(2)], true);

  expect(await noticesOf(id)).toHaveLength(2);
});

test('an endpoint of a project is told of its own dead letters, and one of the installation of all', async () => {
  const [own, theirs, installations] = [await endpoint(project), await endpoint(other), await endpoint(null)];
  const nobodys = letter(9, { projectId: null });

  await noteDeadLetters(database(), [letter(1), letter(2, { projectId: other }), nobodys], true);

  expect(await noticesOf(own)).toMatchObject([{ id: 'tidemark.track/0/1', waiting: 1 }]);
  expect(await noticesOf(theirs)).toMatchObject([{ id: 'tidemark.track/0/2', waiting: 1 }]);
  expect(await noticesOf(installations)).toMatchObject([{ id: 'tidemark.track/0/9', project_id: null, waiting: 3 }]);
});

test('an endpoint that is disabled, or wants nothing of dead letters, is not told', async () => {
  const { endpoint: unwanting } = await store.create(project, SETTINGS);
  expect(await wantsDeadLetters(database())).toBe(false);
  const disabled = await endpoint(project);
  await store.update(project, disabled, { isEnabled: false });
  expect(await wantsDeadLetters(database())).toBe(true);

  await noteDeadLetters(database(), [letter(1)], true);
  expect([...(await noticesOf(unwanting.id)), ...(await noticesOf(disabled))]).toEqual([]);
  await store.update(project, disabled, { isEnabled: true });
  await noteDeadLetters(database(), [letter(1)], true);

  expect(await noticesOf(disabled)).toHaveLength(1);
});

test('several processes that find the same make one message', async () => {
  const id = await endpoint(null);

  await Promise.all(Array.from({ length: 4 }, () => noteDeadLetters(database(), [letter(1)], true)));

  expect(await noticesOf(id)).toHaveLength(1);
});
