import { expect, test } from 'vitest';
import type { NewRecord } from '../../services/event-log/event-log.ts';
import { DeadLetters } from '../../services/consumers/dead-letters.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { codec } from '../support/messages/messages.ts';

test('a record that is a dead letter of this reader already, or has no error, is not appended', async () => {
  const appended: NewRecord[] = [];
  const logged: string[] = [];
  const log = { append: async (records: readonly NewRecord[]) => (appended.push(...records), []) };
  const letters = new DeadLetters({
    log,
    codec,
    logger: { error: (at: { offset: string }) => void logged.push(at.offset) },
    reader: 'sink',
    history: { knownAmong: async () => new Map([['tidemark.track/1', new Set([4n])]]) },
    withRetry: (_, call) => call(),
  });
  const unprocessable = (partition: number, offset: bigint) => ({
    topic: 'tidemark.track',
    partition,
    record: { offset, appendedAtMs: 0, key: new Uint8Array(), value: new Uint8Array() },
    error: new TidemarkError('MESSAGE_UNDECODABLE', 'no message'),
  });

  const failed = await letters.append([
    unprocessable(0, 1n),
    unprocessable(1, 4n),
    unprocessable(1, 5n),
    { ...unprocessable(1, 6n), error: undefined },
  ]);

  const places = appended.map(({ value }) => codec.decodeDeadLetter(value));
  expect(places).toMatchObject([
    { partition: 0, offset: 1n },
    { partition: 1, offset: 5n },
  ]);
  expect(logged).toEqual(['1', '4', '5']);
  expect(failed).toBe(3);
});
