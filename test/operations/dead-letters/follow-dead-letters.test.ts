/** The table of dead letters says what their topic says, whatever happens between the two. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { PartitionRecords, ScanOptions, ScanRange } from '../../../services/event-log/event-log.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { type DeadLetter, DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { listDeadLetters, showDeadLetter } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { followDeadLetters } from '../../../services/operations/dead-letters/follow-dead-letters.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { forgetLetters } from '../../../services/stores/profiles/dead-letter-rows.ts';
import { noteUnstored, unstoredMessages } from '../../../services/stores/profiles/unstored-messages.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, recordOf, track } from '../../support/messages/messages.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

const TOPIC = 'tidemark.track';
const CALL = { report: () => undefined, signal: new AbortController().signal };

/** A log that gives out a piece for each record, as a large topic does. */
class LogInPieces extends MemoryLog {
  /** How many pieces are given out before the process is killed. */
  killedAfter = Infinity;
  /** The offsets that were read. */
  readonly read: bigint[] = [];

  override async *scan(ranges: readonly ScanRange[], options?: ScanOptions): AsyncGenerator<PartitionRecords> {
    let pieces = 0;
    for await (const { records, ...at } of super.scan(ranges, options)) {
      for (const record of records) {
        if (pieces++ >= this.killedAfter) throw new Error('killed, as ordered');
        this.read.push(record.offset);
        yield { ...at, records: [record] };
      }
    }
  }
}

describe.each(DATABASES)('the table of dead letters, on $name', ({ share }) => {
  const database = share();
  beforeEach(() =>
    database().script('delete from dead_letters; delete from settled_dead_letters; delete from erasures'),
  );

  function letter(offset: bigint, said: Partial<DeadLetter> = {}, userId = 'ada'): DeadLetter {
    const { key, value } = recordOf(track({ projectId: 'shop', userId }));
    const at = { topic: TOPIC, partition: 0, offset };
    return { ...at, key, value, error: 'STORE_REJECTED: no', failedAt: offset, reader: 'sink', ...said };
  }

  function put(log: MemoryLog, ...letters: readonly DeadLetter[]): void {
    for (const one of letters) log.put(DEAD_LETTER_TOPIC, 0, { key: one.key, value: codec.encodeDeadLetter(one) });
  }

  const parts = (log: MemoryLog) => ({ log, codec, database: database() });
  const listed = async (log: MemoryLog): Promise<readonly string[]> =>
    (await listDeadLetters(parts(log), { state: 'any' })).dead_letters.map(({ id }) => id.replace(`${TOPIC}/0/`, ''));

  test('a process that is killed while it reads loses nothing, and the next adds nothing twice', async () => {
    const log = new LogInPieces();
    put(log, letter(1n), letter(2n), letter(3n));
    log.killedAfter = 2;
    await expect(followDeadLetters(parts(log))).rejects.toThrow('killed');
    log.killedAfter = Infinity;
    log.read.length = 0;

    const { facets } = await listDeadLetters(parts(log), {});

    expect(facets.reader).toEqual([{ value: 'sink', count: 3 }]);
    expect(log.read).toEqual([1n, 2n]);
    await followDeadLetters(parts(log));
    expect(log.read).toEqual([1n, 2n]);
  });

  test('several processes may read the topic at once', async () => {
    const log = new LogInPieces();
    put(log, ...Array.from({ length: 20 }, (_, n) => letter(BigInt(n))));

    await Promise.all(Array.from({ length: 4 }, () => followDeadLetters(parts(log))));

    expect(await listed(log)).toHaveLength(20);
  });

  test('a dead letter whose writer was killed before its position moved is known, and one written twice is one', async () => {
    const log = new MemoryLog();
    put(log, letter(1n));
    await followDeadLetters(parts(log));

    await noteUnstored(database(), 'sink', 1, [{ topic: TOPIC, partition: 0, offset: 1n }]);
    put(log, letter(1n, { error: 'ANOTHER: time' }));

    const { dead_letters: letters } = await listDeadLetters(parts(log), {});
    expect(letters.map(({ attempts }) => attempts.map(({ id }) => id))).toEqual([['tidemark.dead-letter/0/0']]);
    expect(await showDeadLetter(parts(log), 'dead-letter/0/1')).toMatchObject({ id: `${TOPIC}/0/1` });
    expect(await unstoredMessages(database(), { projector: 1, sink: 1 })).toHaveLength(1);
  });

  test('what a reader noted before its dead letter was read is listed once that is', async () => {
    const log = new MemoryLog();
    await noteUnstored(database(), 'sink', 1, [{ topic: TOPIC, partition: 0, offset: 1n }]);
    expect(await listed(log)).toEqual([]);

    put(log, letter(1n));

    expect(await listed(log)).toEqual(['1']);
    expect(await unstoredMessages(database(), { projector: 1, sink: 1 })).toHaveLength(1);
  });

  test.each([1, 2, 3, 4])('a topic that was made anew with %d records is read from its beginning', async (count) => {
    const before = new MemoryLog();
    put(before, letter(1n), letter(2n), letter(3n));
    await noteUnstored(database(), 'sink', 1, [{ topic: TOPIC, partition: 0, offset: 1n }]);
    expect(await listed(before)).toEqual(['3', '2', '1']);
    const anew = new MemoryLog();
    anew.beginsAtMs = 1_800_000_000_000;

    put(anew, ...Array.from({ length: count }, (_, n) => letter(BigInt(n + 10))));

    // As many records as before are told from them by the next.
    if (count === 3) put(anew, letter(13n));
    expect(await listed(anew)).toHaveLength(count === 3 ? 4 : count);
    expect(await listed(anew)).toContain('10');
    expect(await unstoredMessages(database(), { projector: 1, sink: 1 })).toHaveLength(1);
  });

  test('a message whose schema was not known is read again when a reader starts', async () => {
    const log = new MemoryLog();
    put(log, letter(1n), letter(2n));
    class Forgetful extends EmbeddedSchemaIds {
      isKnown = false;
      override schemaOf(id: number) {
        return this.isKnown || id === deadLetterId ? super.schemaOf(id) : undefined;
      }
    }
    const ids = new Forgetful();
    const deadLetterId = codec.schemaIds()[DEAD_LETTER_TOPIC]!;
    const forgetful = { ...parts(log), codec: new Codec(ids) };
    const projects = async () => (await listDeadLetters(forgetful, {})).facets.project;
    expect(await projects()).toEqual([{ value: null, count: 2 }]);
    ids.isKnown = true;
    expect(await projects()).toEqual([{ value: null, count: 2 }]);

    await followDeadLetters({ ...forgetful, codec: new Codec(ids) }, { again: true });

    expect(await projects()).toEqual([{ value: 'shop', count: 2 }]);
  });

  test('what a dead letter says of a person who is forgotten is hidden at once, and then taken away', async () => {
    const log = new MemoryLog();
    put(log, letter(1n), letter(2n, {}, 'bob'));
    expect(await listed(log)).toEqual(['2', '1']);
    await database().query(
      `insert into erasures (id, project_id, user_key, suppress, state, requested_at_us, due_at_us, actor)
       values ('e', 'shop', $1, false, 'pending', 0, 0, 'local')`,
      [userKeyOf('shop', 'ada')],
    );
    expect(await listed(log)).toEqual(['2']);

    await forgetLetters(database());
    put(log, letter(3n));

    expect(await listed(log)).toEqual(['2']);
    const left = await database().query(
      'select log_offset from dead_letters where error is not null and reader <> $1',
      [''],
    );
    expect(left).toEqual([{ log_offset: 2n }]);
  });

  test('what another program writes to the topic holds up nothing', async () => {
    const log = new MemoryLog();
    const odd = { reader: '\0', failedAt: 2n ** 62n, topic: 'x'.repeat(5_000) };
    for (const [name, value] of Object.entries(odd)) put(log, letter(1n, { [name]: value }));
    put(log, letter(2n, { error: 'no\0thing' }));

    const { unreadable, dead_letters: letters } = await listDeadLetters(parts(log), {});

    expect(unreadable).toBe(3);
    expect(letters.map(({ attempts }) => attempts[0]?.error)).toEqual(['nothing']);
  });

  test('a blank record is passed, and counts as nothing', async () => {
    const log = new MemoryLog();
    put(log, letter(1n));
    log.put(DEAD_LETTER_TOPIC, 0, { key: new Uint8Array(), value: new Uint8Array() });

    const { unreadable, dead_letters: letters } = await listDeadLetters(parts(log), {});

    expect([unreadable, letters.length]).toEqual([0, 1]);
  });

  test('a replay leaves copies alone that are refused while it goes on', async () => {
    const log = new MemoryLog();
    put(log, ...Array.from({ length: 500 }, (_, n) => letter(BigInt(n))));
    const append = log.append.bind(log);
    log.append = async (records) => {
      const copies = await append(records);
      for (const { offset } of copies) put(log, letter(offset + 1_000n));
      await followDeadLetters(parts(log));
      return copies;
    };

    expect(await new Settler(parts(log)).replay({ all: true }, CALL)).toMatchObject({ messages: 500 });

    expect(log.records(TOPIC, 0)).toHaveLength(500);
  });
});
