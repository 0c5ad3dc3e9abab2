import { describe, expect, test } from 'vitest';
import { listDeadLetters, showDeadLetter } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { type DeadLetter, DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import type { CommandArguments, CommandCall, Progress } from '../../../services/runtime/command.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify, recordOf, track } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const MINUTE = 60_000_000n;
/** 2026-11-20T00:00:00Z. */
const MIDNIGHT = 1_795_132_800_000_000n;

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

describe.each(DATABASES)('the commands on dead letters, on $name', ({ share }) => {
  const database = share();

  test('dead-letters list shows a message once, however often and by whichever reader it was dead-lettered', async () => {
    const { put, list } = await scene();
    put({ offset: 1n, reader: 'projector', failedAt: MIDNIGHT });
    put({ offset: 1n, reader: 'projector', failedAt: MIDNIGHT + MINUTE });
    put({ offset: 1n, reader: 'sink', failedAt: MIDNIGHT + 2n * MINUTE });

    const { dead_letters: listed, next_cursor: next } = await list();

    expect(next).toBeNull();
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({
      id: 'tidemark.track/0/1',
      state: 'waiting',
      code: 'MESSAGE_UNDECODABLE',
      failed_at: '2026-11-20T00:02:00.000000Z',
      project_id: null,
      attempts: [
        { reader: 'projector', id: 'tidemark.dead-letter/0/0' },
        { reader: 'sink', id: 'tidemark.dead-letter/0/2' },
      ],
    });
  });

  test('dead-letters list shows the newest, and says whether there are more', async () => {
    const { put, ids } = await scene();
    for (let n = 0; n < 5; n++) put({ offset: BigInt(n), failedAt: MIDNIGHT + BigInt(n) * MINUTE });

    expect(await ids({ limit: 2 })).toEqual({ ids: ['4', '3'], more: true });
    expect(await ids({ limit: 5 })).toEqual({ ids: ['4', '3', '2', '1', '0'], more: false });
  });

  test('dead-letters list continues after a page, and counts all that were selected by what they have in common', async () => {
    const { put, list } = await scene();
    for (let n = 0n; n < 5n; n++)
      put({ offset: n, failedAt: MIDNIGHT + n * MINUTE, reader: n < 2n ? 'projector' : 'sink' });
    // It failed at the same time as another.
    put({ offset: 5n, failedAt: MIDNIGHT + 4n * MINUTE, reader: 'sink' });

    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.dead_letters.map(({ id }) => id));
      expect(page.facets.reader).toEqual([
        { value: 'sink', count: 4 },
        { value: 'projector', count: 2 },
      ]);
      expect(page.facets.day).toEqual([{ value: '2026-11-20', count: 6 }]);
      cursor = page.next_cursor;
    }

    expect(seen.map((id) => id.split('/')[2])).toEqual(['4', '5', '3', '2', '1', '0']);
    await expect(list({ cursor: 'x' })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test.each([
    [{ reader: 'sink' }, ['1']],
    [{ topic: 'identify' }, ['2']],
    [{ topic: 'tidemark.identify' }, ['2']],
    [{ error: 'STORE_REJECTED' }, ['3']],
    [{ error: 'STORE' }, []],
    [{ since: '2026-11-20T00:03:00Z' }, ['3']],
    [{ since: '2026-11-20T01:02:00+01:00', until: '2026-11-20T00:03:00Z' }, ['2']],
    [{ until: '2026-11-20' }, []],
    [{ since: '1h' }, []],
    [{ reader: 'sink', topic: 'identify' }, []],
  ])('dead-letters list with %o shows the dead letters that match', async (filter, shown) => {
    const { put, ids } = await scene();
    put({ offset: 1n, reader: 'sink', failedAt: MIDNIGHT + MINUTE });
    put({ offset: 2n, topic: 'tidemark.identify', failedAt: MIDNIGHT + 2n * MINUTE });
    put({ offset: 3n, error: 'STORE_REJECTED: 22P05', failedAt: MIDNIGHT + 3n * MINUTE });

    expect((await ids(filter)).ids).toEqual(shown);
  });

  test('dead-letters list distinguishes projects where the messages can be read', async () => {
    const { put, ids, list } = await scene();
    const [shop, other] = [randomProjectId(), randomProjectId()];
    put({ offset: 1n, ...recordOf(track({ projectId: shop, userId: 'ada' })) });
    put({ offset: 2n, ...recordOf(track({ projectId: other, userId: 'ada' })) });
    put({ offset: 3n });

    expect((await ids({ project: shop })).ids).toEqual(['1']);
    const all = (await list()).dead_letters.map((one) => one.project_id);
    expect(new Set(all)).toEqual(new Set([null, other, shop]));
  });

  test('dead-letters show prints everything about one message, by its id or that of its dead letter', async () => {
    const { put, show } = await scene();
    const message = identify({ projectId: randomProjectId(), userId: 'ada', traits: '{"n":1e400}' });
    const record = recordOf(message);
    put({ offset: 4n });
    put({ offset: 5n, topic: 'tidemark.identify', ...record });

    const shown = await show('identify/0/5');

    expect(shown).toMatchObject({
      id: 'tidemark.identify/0/5',
      user_id: 'ada',
      event: null,
      key_base64: Buffer.from(record.key).toString('base64'),
      value_base64: Buffer.from(record.value).toString('base64'),
      message: {
        type: 'identify',
        user_id: 'ada',
        traits: '{"n":1e400}',
        timestamp: expect.stringMatching(/Z$/) as string,
      },
    });
    expect(JSON.stringify(shown.record)).toContain('"traits":{"n":1e400}');
    expect(await show('dead-letter/0/1')).toEqual(shown);
    await expect(show('identify/0/6')).rejects.toMatchObject({
      code: 'DEAD_LETTER_UNKNOWN',
    });
  });

  test('replay appends key and value as they were, each message once, and remembers it', async () => {
    const { put, run, log, ids } = await scene();
    const record = recordOf(track({ projectId: randomProjectId(), userId: 'ada' }));
    for (const reader of ['projector', 'sink', 'sink']) put({ offset: 1n, reader, ...record });
    put({ offset: 2n });

    const result = await run.replay({ ids: ['track/0/1'] });

    expect(result).toEqual({ dry_run: false, messages: 1, still_undecodable: 0, settled_before: 0, not_found: [] });
    expect(log.records('tidemark.track', 0).map(({ key, value }) => [key, value].map(hex))).toEqual([
      [record.key, record.value].map(hex),
    ]);
    expect((await ids({})).ids).toEqual(['2']);
    expect((await ids({ state: 'replayed' })).ids).toEqual(['1']);
    const { dead_letters: settled } = await run.list({ state: 'replayed' });
    expect(settled).toMatchObject([{ copy: 'tidemark.track/0/0', settled_at: expect.any(String) as string }]);
  });

  test('drop appends nothing, and can be taken back by replaying again', async () => {
    const { put, run, log, ids } = await scene();
    put({ offset: 1n });
    put({ offset: 2n });

    expect(await run.drop({ all: true })).toMatchObject({ messages: 2 });

    expect(log.records('tidemark.track', 0)).toEqual([]);
    expect((await ids({})).ids).toEqual([]);
    expect(await run.replay({ ids: ['track/0/1'] })).toMatchObject({ messages: 0, settled_before: 1 });
    expect(await run.replay({ ids: ['track/0/1'], again: true })).toMatchObject({ messages: 1 });
    expect((await ids({ state: 'any' })).ids.toSorted()).toEqual(['1', '2']);
    expect((await ids({ state: 'dropped' })).ids).toEqual(['2']);
  });

  test('a dry run changes nothing and counts as the run does', async () => {
    const { put, run, log, ids } = await scene();
    for (let n = 0; n < 1_200; n++) put({ offset: BigInt(n % 700) });

    const dry = await run.replay({ all: true, dry_run: true });

    expect(dry).toMatchObject({ dry_run: true, messages: 700, still_undecodable: 700, settled_before: 0 });
    expect(log.records('tidemark.track', 0)).toEqual([]);
    expect((await ids({ limit: 1_000 })).ids).toHaveLength(700);
    expect(await run.replay({ all: true })).toEqual({ ...dry, dry_run: false });
    expect(log.records('tidemark.track', 0)).toHaveLength(700);
  });

  test('dead-letters replay accepts filters and a limit', async () => {
    const { put, run, ids } = await scene();
    for (let n = 1n; n <= 4n; n++)
      put({ offset: n, reader: n % 2n === 0n ? 'sink' : 'projector', failedAt: MIDNIGHT + n });

    await run.replay({ reader: 'sink', limit: 1 });

    expect((await ids({})).ids).toEqual(['4', '3', '1']);
  });

  test('unknown ids are reported', async () => {
    const { put, run } = await scene();
    put({ offset: 1n });

    const result = await run.drop({ ids: ['track/0/1', 'track/0/7'] });

    expect(result).toMatchObject({ messages: 1, not_found: ['tidemark.track/0/7'] });
  });

  test('what is no dead letter on the topic is counted and passed', async () => {
    const { put, list, log } = await scene();
    log.put(DEAD_LETTER_TOPIC, 0, { key: Buffer.from('k'), value: Buffer.from('rubbish') });
    put({ offset: 1n });

    expect(await list()).toMatchObject({ unreadable: 1, dead_letters: [{ id: 'tidemark.track/0/1' }] });
  });

  test('progress is reported, and an abort ends the command', async () => {
    const { put, run, progress } = await scene();
    for (let n = 0n; n < 5n; n++) put({ offset: n });

    await run.replay({ all: true, dry_run: true });

    expect(progress.at(-1)).toEqual({ done: 5, total: 5, unit: 'dead letters' });
    const aborted = run.replay({ all: true }, AbortSignal.abort(new Error('no more')));
    await expect(aborted).rejects.toThrow('no more');
  });

  test.each([
    ['replay', {}],
    ['drop', { limit: 3 }],
    ['replay', { all: true, again: true }],
    ['replay', { ids: ['nonsense'] }],
    ['replay', { ids: 'track/0/1' }],
    ['drop', { reader: 'nobody' }],
    ['drop', { topic: 'dead-letter' }],
    ['list', { state: 'lost' }],
    ['list', { since: 'yesterday' }],
    ['list', { limit: 0 }],
    ['list', { project: 7 }],
  ] as const)('%s refuses %o', async (what, args) => {
    const { run } = await scene();

    await expect(run[what](args)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  async function scene() {
    await database().script('delete from dead_letters; delete from settled_dead_letters');
    const log = new MemoryLog();
    const parts = { log, codec, database: database() };
    const progress: Progress[] = [];
    const call = (signal = new AbortController().signal): CommandCall => {
      return { report: (one) => void progress.push(one), signal };
    };
    const list = (args: CommandArguments = {}) => listDeadLetters(parts, args, call());
    const show = (id: string) => showDeadLetter(parts, id, call());
    const settler = new Settler(parts);
    const run = {
      list,
      replay: (args: CommandArguments, signal?: AbortSignal) => settler.replay(args, call(signal)),
      drop: (args: CommandArguments) => settler.drop(args, call()),
    };
    const ids = async (args: CommandArguments) => {
      const { dead_letters: listed, next_cursor: next } = await list(args);
      return { ids: listed.map(({ id }) => id.split('/')[2]!), more: next !== null };
    };
    const put = (said: Partial<DeadLetter>): void => {
      const letter: DeadLetter = {
        topic: 'tidemark.track',
        partition: 0,
        offset: 0n,
        key: Buffer.from('k'),
        value: Buffer.from('no avro'),
        error: 'MESSAGE_UNDECODABLE: it is not framed as Avro',
        failedAt: MIDNIGHT,
        reader: 'projector',
        ...said,
      };
      log.put(DEAD_LETTER_TOPIC, 0, { key: letter.key, value: codec.encodeDeadLetter(letter) });
    };
    log.records(DEAD_LETTER_TOPIC, 0);
    return { log, put, run, list, show, ids, progress };
  }
});
