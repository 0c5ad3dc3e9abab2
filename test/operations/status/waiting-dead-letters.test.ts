import { expect, test } from 'vitest';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import { WaitingDeadLetters } from '../../../services/operations/status/waiting-dead-letters.ts';
import { NOTHING_LEFT_OUT } from '../../../services/stores/erasures/left-out.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, recordOf, track } from '../../support/messages/messages.ts';

const SIGNAL = new AbortController().signal;

test('dead letters that were passed over for want of room are counted once others are settled', async () => {
  const log = new MemoryLog();
  const { key, value } = recordOf(track({ projectId: 'one', userId: 'ada' }));
  for (let n = 0; n < 6_000; n++) {
    const at = { topic: 'tidemark.track', partition: 0, offset: BigInt(n) };
    const letter = { ...at, key, value, error: 'no', failedAt: 7n, reader: 'sink' };
    // The log of this test has a partition as one piece.
    log.put(DEAD_LETTER_TOPIC, Math.floor(n / 1_000), { key, value: codec.encodeDeadLetter(letter) });
  }
  let settledBelow = 0;
  const settled = async () => Array.from({ length: settledBelow }, (_, n) => `tidemark.track/0/${n}`);
  const waiting = new WaitingDeadLetters(
    { log, codec, figures: { settled, leftOut: async () => NOTHING_LEFT_OUT } },
    4_000,
  );
  const lookToTheEnd = async () => {
    for (;;) {
      const { isRead, isWhole, letters } = await waiting.look(SIGNAL);
      if (isRead) return [letters.length, isWhole];
    }
  };
  expect(await lookToTheEnd()).toEqual([4_000, false]);
  settledBelow = 1_000;
  expect(await lookToTheEnd(), 'little room is not worth reading all of them again').toEqual([3_000, false]);

  settledBelow = 2_000;
  expect(await lookToTheEnd()).toEqual([2_000, false]);

  expect(await lookToTheEnd()).toEqual([4_000, true]);
});
