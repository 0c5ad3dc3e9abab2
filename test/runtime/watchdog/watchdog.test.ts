import { expect, test } from 'vitest';
import {
  CHECKS_ALLOWED,
  CHECKS_TO_STOP,
  type Watched,
  type WatchedThread,
} from '../../../services/runtime/watchdog/beats.ts';
import { Watch } from '../../../services/runtime/watchdog/watch.ts';

const HTTP: Watched = 'the HTTP thread';

interface Seen {
  isArmed: boolean;
  isStopping: boolean;
  thread: WatchedThread | undefined;
}

function watchOf(seen: Seen): Watch {
  return new Watch({
    get isArmed() {
      return seen.isArmed;
    },
    get isStopping() {
      return seen.isStopping;
    },
    threads: () => [undefined, seen.thread],
  });
}

/** How many checks it takes until there is a reason to end, and which; at most 1,000. */
function checksUntilEnd(watch: Watch, before: () => void = () => undefined): [number, string | undefined] {
  for (let checks = 1; checks <= 1_000; checks++) {
    before();
    const reason = watch.check();
    if (reason !== undefined) return [checks, reason];
  }
  return [1_000, undefined];
}

function seenThread(more: Partial<WatchedThread> = {}): Seen {
  return { isArmed: true, isStopping: false, thread: { name: HTTP, beats: 7, mayBlock: false, ...more } };
}

test('a thread that does not beat is a reason to end the process after the checks that it is allowed', () => {
  const [checks, reason] = checksUntilEnd(watchOf(seenThread()));

  // The first check only stores the count of beats.
  expect([checks, reason]).toEqual([CHECKS_ALLOWED[HTTP] + 1, 'the HTTP thread has not answered for 20 s']);
});

test('a thread that beats now and then, may block, has ended, or is not armed yet is no reason to end', () => {
  const beating = seenThread();
  let checks = 0;
  const beat = (): void => {
    if (++checks % (CHECKS_ALLOWED[HTTP] - 1) === 0) beating.thread = { name: HTTP, beats: checks, mayBlock: false };
  };

  expect(checksUntilEnd(watchOf(beating), beat)[1]).toBeUndefined();
  expect(checksUntilEnd(watchOf(seenThread({ mayBlock: true })))[1]).toBeUndefined();
  expect(checksUntilEnd(watchOf({ ...seenThread(), thread: undefined }))[1]).toBeUndefined();
  expect(checksUntilEnd(watchOf({ ...seenThread(), isArmed: false }))[1]).toBeUndefined();
});

test('a stop that takes too long is a reason to end, even if a thread may block', () => {
  const [checks, reason] = checksUntilEnd(
    watchOf({ isArmed: false, isStopping: true, thread: { name: HTTP, beats: 7, mayBlock: true } }),
  );

  expect([checks, reason]).toEqual([CHECKS_TO_STOP, 'it has not stopped within 14 s of the signal']);
});
