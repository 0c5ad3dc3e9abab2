/** For the tests of a projector that is behind: a log of two partitions, and a store whose steps fail as ordered. */
import * as fc from 'fast-check';
import { type Message, MESSAGE_TOPICS, topicOf } from '../../../services/messages/message.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import type { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import type { MemoryLog } from '../../support/event-log/memory-log.ts';
import { recordOf, track } from '../../support/messages/messages.ts';
import { overriding } from '../../support/service/projector.ts';

const DEFECT = 'the process dies here';

export type Step = 'noteAhead' | 'merge' | 'write';

/** At which call of which step the process dies, counted from each start, and whether the step is done before. */
export interface Death {
  readonly step: Step;
  readonly call: number;
  readonly isDone: boolean;
}

export const drawnDeath: fc.Arbitrary<Death> = fc.record({
  step: fc.constantFrom('noteAhead', 'merge', 'merge', 'write'),
  call: fc.nat(5),
  isDone: fc.boolean(),
});

/** The store, each step of which is made by `around`. */
export function wrapped(
  real: SqlProfileStore,
  around: (step: Step, call: () => Promise<void>) => Promise<void>,
): SqlProfileStore {
  return overriding(real, {
    noteAhead: (...args) => around('noteAhead', () => real.noteAhead(...args)),
    merge: (...args) => around('merge', () => real.merge(...args)),
    write: (...args) => around('write', () => real.write(...args)),
  });
}

export function dyingAt(real: SqlProfileStore, { step: fatal, call: number, isDone }: Death): SqlProfileStore {
  let calls = 0;
  return wrapped(real, async (step, call) => {
    const isFatal = step === fatal && calls++ === number;
    if (!isFatal || isDone) await call();
    if (isFatal) throw new Error(DEFECT);
  });
}

/** Whether the projector has reached the end of every partition. */
export async function isAtEnd(log: MemoryLog, store: SqlProfileStore): Promise<boolean> {
  const ends = (await log.ends(MESSAGE_TOPICS)).filter(({ offset }) => offset > 0n);
  const positions = await store.positions(ends);
  return ends.every((end) =>
    positions.some(
      ({ topic, partition, offset }) => topic === end.topic && partition === end.partition && offset === end.offset,
    ),
  );
}

/** How many messages of a project were applied, repeats among them. */
export async function countedOf(database: Database, projectId: string): Promise<number> {
  const [row] = await database.query<{ all: bigint }>(
    'select coalesce(sum(messages + repeats), 0)::int8 as all from applied_counts where project_id = $1',
    [projectId],
  );
  return Number(row!.all);
}

export async function usersOf(database: Database, projectId: string): Promise<number> {
  const sql = 'select count(*) as all from users where project_id = $1';
  const [row] = await database.query<{ all: bigint }>(sql, [projectId]);
  return Number(row!.all);
}

/** Appends each of these messages to its partition, one of two. */
export function append(log: MemoryLog, messages: readonly Message[]): void {
  for (const topic of MESSAGE_TOPICS) for (const partition of [0, 1]) log.records(topic, partition);
  for (const message of messages) log.put(topicOf(message), partitionFor(message), recordOf(message));
}

function partitionFor({ userKey }: Message): number {
  return Number.parseInt(userKey.slice(-1), 16) % 2;
}

export function people(projectId: string, count: number, of: number): Message[] {
  return Array.from({ length: count }, (_, index) => track({ projectId, userId: `user-${index % of}` }));
}

/** Offsets of these messages, in the order of their partitions. */
export function offsetsOf(log: MemoryLog, messages: readonly Message[], indices: readonly number[]): number[] {
  return [0, 1].flatMap((partition) => {
    const records = log.records('tidemark.track', partition);
    const wanted = indices.map((index) => recordOf(messages[index]!).value);
    return records.flatMap(({ offset, value }) =>
      wanted.some((one) => Buffer.from(one).equals(value)) ? [Number(offset)] : [],
    );
  });
}
