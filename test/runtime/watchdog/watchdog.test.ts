import { expect, test } from 'vitest';
import {
  LOOKS_ALLOWED,
  LOOKS_TO_STOP,
  type Watched,
  type WatchedThread,
} from '../../../services/runtime/watchdog/watchdog.ts';
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

/** How many looks it takes until something is wrong, and what; at most 1,000. */
function looksUntilWrong(watch: Watch, before: () => void = () => undefined): [number, string | undefined] {
  for (let looks = 1; looks <= 1_000; looks++) {
    before();
    const wrong = watch.look();
    if (wrong !== undefined) return [looks, wrong];
  }
  return [1_000, undefined];
}

function seenThread(more: Partial<WatchedThread> = {}): Seen {
  return { isArmed: true, isStopping: false, thread: { name: HTTP, beats: 7, mayBlock: false, ...more } };
}

test('a thread that does not beat is wrong after the looks that it is allowed', () => {
  const [looks, wrong] = looksUntilWrong(watchOf(seenThread()));

  // The first finds the beats that it had before.
  expect([looks, wrong]).toEqual([LOOKS_ALLOWED[HTTP] + 1, 'the HTTP thread has not answered for 20 s']);
});

test('one that beats now and then, may block, has ended, or is not to be watched yet is well', () => {
  const beating = seenThread();
  let looks = 0;
  const beat = (): void => {
    if (++looks % (LOOKS_ALLOWED[HTTP] - 1) === 0) beating.thread = { name: HTTP, beats: looks, mayBlock: false };
  };

  expect(looksUntilWrong(watchOf(beating), beat)[1]).toBeUndefined();
  expect(looksUntilWrong(watchOf(seenThread({ mayBlock: true })))[1]).toBeUndefined();
  expect(looksUntilWrong(watchOf({ ...seenThread(), thread: undefined }))[1]).toBeUndefined();
  expect(looksUntilWrong(watchOf({ ...seenThread(), isArmed: false }))[1]).toBeUndefined();
});

test('a stop that takes too long is wrong, whatever the threads do', () => {
  const [looks, wrong] = looksUntilWrong(
    watchOf({ isArmed: false, isStopping: true, thread: { name: HTTP, beats: 7, mayBlock: true } }),
  );

  expect([looks, wrong]).toEqual([LOOKS_TO_STOP, 'it has not stopped within 14 s of the signal']);
});
