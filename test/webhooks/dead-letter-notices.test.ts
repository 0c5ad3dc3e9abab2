import { beforeEach, expect, test } from 'vitest';
import { addLetters } from '../../services/stores/profiles/dead-letter-rows.ts';
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
  await database().script('delete from dead_letters; delete from settled_dead_letters');
});

interface WaitingOne {
  /** Its offset and that of its message, and the millisecond at which it was appended. */
  readonly n: number;
  readonly code: string;
  readonly projectId: string | null;
  readonly reader: string;
}

function letter(n: number, of: Partial<WaitingOne> = {}): WaitingOne {
  return { n, code: 'STORE_REJECTED', projectId: project, reader: 'sink', ...of };
}

/** Has these dead letters wait, and no others, and looks for them. */
async function tellOf(letters: readonly WaitingOne[]): Promise<void> {
  await database().script('delete from dead_letters');
  await letWait(letters);
  await noteDeadLetters(database());
}

async function letWait(letters: readonly WaitingOne[]): Promise<void> {
  const rows = letters.map(({ n, code, projectId, reader }, index) => ({
    topic: 'tidemark.track',
    partition: 0,
    log_offset: BigInt(n),
    reader,
    letter_offset: BigInt(index),
    appended_at_ms: n,
    failed_at_us: 1_000_000n,
    error: `${code}: ${'no'.repeat(300)}`,
    code,
    bytes: 1,
    project_id: projectId,
    user_key: 'u',
    message_id: 'm',
    received_at_us: 1n,
    user_id: null,
    event: null,
  }));
  await addLetters(database(), 0, { offset: BigInt(letters.length), appendedAtMs: 1 }, rows);
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
  const another = { code: 'MESSAGE_UNDECODABLE' };

  await tellOf([letter(1), letter(2), letter(3, another)]);
  await deliverAll();
  await tellOf([letter(1), letter(2), letter(3, another), letter(4)]);

  expect(await noticesOf(id)).toEqual([
    {
      id: 'tidemark.track/0/2',
      topic: 'tidemark.track',
      project_id: project,
      code: 'STORE_REJECTED',
      error: `STORE_REJECTED: ${'no'.repeat(242)}`,
      reader: 'sink',
      failed_at: '1970-01-01T00:00:01.000000Z',
      waiting: 2,
    },
    expect.objectContaining({ id: 'tidemark.track/0/3', code: 'MESSAGE_UNDECODABLE', waiting: 1 }),
  ]);
});

test('an hour later an endpoint is told of newer dead letters, and of none if there are none', async () => {
  const id = await endpoint(project);
  await tellOf([letter(1)]);
  await deliverAll();

  await anHourPasses();
  await tellOf([letter(1)]);
  expect(await noticesOf(id)).toHaveLength(1);
  await tellOf([letter(1), letter(2)]);

  expect((await noticesOf(id))[1]).toMatchObject({ id: 'tidemark.track/0/2', waiting: 2 });
});

test('an endpoint that has not taken the last message gets no second one of the same reason', async () => {
  const id = await endpoint(project);
  await tellOf([letter(1)]);
  await anHourPasses();

  await tellOf([letter(1), letter(2)]);
  expect(await noticesOf(id)).toHaveLength(1);
  await deliverAll();
  await tellOf([letter(1), letter(2)]);

  expect(await noticesOf(id)).toHaveLength(2);
});

test('once the last was settled, the next dead letter is told of at once', async () => {
  const id = await endpoint(project);
  await tellOf([letter(1)]);
  await tellOf([letter(1), letter(2)]);
  expect(await noticesOf(id)).toHaveLength(1);

  const settled = `insert into settled_dead_letters (topic, partition, log_offset, state, settled_at_ms)
    select topic, partition, log_offset, 'dropped', 1 from dead_letters where reader <> ''`;
  await database().query(settled);
  await noteDeadLetters(database());
  await tellOf([letter(3)]);

  expect(await noticesOf(id)).toHaveLength(2);
});

test('an endpoint of a project is told of its own dead letters, and one of the installation of all', async () => {
  const [own, theirs, installations] = [await endpoint(project), await endpoint(other), await endpoint(null)];
  const nobodys = letter(9, { projectId: null });

  await tellOf([letter(1), letter(2, { projectId: other }), nobodys]);

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

  await tellOf([letter(1)]);
  expect([...(await noticesOf(unwanting.id)), ...(await noticesOf(disabled))]).toEqual([]);
  await store.update(project, disabled, { isEnabled: true });
  await tellOf([letter(1)]);

  expect(await noticesOf(disabled)).toHaveLength(1);
});

test('several processes that find the same make one message', async () => {
  const id = await endpoint(null);

  await letWait([letter(1)]);

  await Promise.all(Array.from({ length: 4 }, () => noteDeadLetters(database())));

  expect(await noticesOf(id)).toHaveLength(1);
});

test('a message is told of by its first dead letter, and counted once', async () => {
  const id = await endpoint(project);

  await tellOf([letter(1), letter(1, { reader: 'projector', code: 'ANOTHER' })]);

  expect(await noticesOf(id)).toMatchObject([{ code: 'STORE_REJECTED', reader: 'sink', waiting: 1 }]);
});
