import { expect, test } from 'vitest';
import { type ProcessPart, ProcessParts, startParts } from '../../services/app/process-parts.ts';

let notes: string[] = [];

/** A part that notes what happens to it. */
function part(name: string, failing: { readonly start?: Error; readonly stop?: Error } = {}): ProcessPart {
  const note = async (what: 'start' | 'stop'): Promise<void> => {
    notes.push(`${what} ${name}`);
    await Promise.resolve();
    if (failing[what] !== undefined) throw failing[what];
  };
  return { start: () => note('start'), stop: () => note('stop'), metrics: async () => `${name}\n` };
}

test('parts are started in order and stopped once, backwards, and those of a group at the same time', async () => {
  notes = [];
  const slow = Promise.withResolvers<void>();
  const parts = new ProcessParts();
  await parts.start(part('stores'));
  await parts.start(part('readers'), { stop: () => slow.promise }, part('http'));

  const stopped = Promise.all([parts.stop(), parts.stop()]);
  await expect.poll(() => notes).toEqual(['start stores', 'start readers', 'start http', 'stop readers', 'stop http']);
  slow.resolve();
  await stopped;

  expect(notes.slice(5)).toEqual(['stop stores']);
  expect(await parts.metrics()).toBe('stores\nreaders\nhttp\n');
});

test('where a start fails, everything before it is stopped backwards, and the start rejects with its error', async () => {
  notes = [];
  const wrong = new Error('the port is taken');
  const failing = startParts(undefined, async (parts) => {
    await parts.start(part('lock'));
    await parts.start(part('stores', { stop: new Error('cannot be closed') }));
    await parts.start(part('http', { start: wrong }), part('readers'));
    return {};
  });

  await expect(failing).rejects.toBe(wrong);
  expect(notes.slice(3)).toEqual(['stop http', 'stop readers', 'stop stores', 'stop lock']);
});

test('nothing more is started once the process is to stop, and the stop rejects with the first error', async () => {
  notes = [];
  const [signalled, wrong] = [new AbortController(), new Error('cannot be closed')];
  const parts = new ProcessParts(signalled.signal);
  await parts.start(part('lock', { stop: new Error('cannot be released') }));

  const starting = parts.start({ start: () => signalled.abort() }, part('stores', { stop: wrong }));

  await expect(starting).rejects.toMatchObject({ code: 'STOPPING' });
  await expect(parts.stop()).rejects.toBe(wrong);
  expect([notes, parts.stopping.aborted]).toEqual([['start lock', 'stop stores', 'stop lock'], true]);
});
