import { expect, test } from 'vitest';
import { fairGate, QueryQueue } from '../../../services/stores/analytics/query-queue.ts';

const never = new AbortController().signal;
const OPTIONS = { atOnce: 2, perProject: 1, waiting: 4, waitingPerProject: 3, maxWaitMs: 60_000 };

/** What has been let in, in order, and what gives each place back. */
function queue(gate: QueryQueue) {
  const entered: string[] = [];
  const places = new Map<string, () => void>();
  const ask = (name: string, signal = never): Promise<void> => {
    const turn = gate.enter(name.slice(0, 1), signal).then((leave) => {
      entered.push(name);
      places.set(name, leave);
    });
    // What still waits at the end of its test is refused while others run.
    turn.catch(() => undefined);
    return turn;
  };
  const leave = async (name: string): Promise<void> => {
    places.get(name)?.();
    await Promise.resolve();
    await new Promise(setImmediate);
  };
  return { entered, ask, leave };
}

test("a project's questions wait for one another, and others pass", async () => {
  const { entered, ask, leave } = queue(new QueryQueue(OPTIONS));
  await ask('a1');
  void ask('a2');
  void ask('a3');

  await ask('b1');
  expect(entered).toEqual(['a1', 'b1']);

  await leave('b1');
  expect(entered).toEqual(['a1', 'b1']);
  await leave('a1');
  expect(entered).toEqual(['a1', 'b1', 'a2']);
  await leave('a2');
  expect(entered).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('no more are let in than there are places, whoever asks', async () => {
  const { entered, ask, leave } = queue(new QueryQueue(OPTIONS));
  await Promise.all([ask('a1'), ask('b1')]);
  void ask('c1');

  await leave('a1');
  await leave('a1');
  void ask('d1');
  await new Promise(setImmediate);

  expect(entered).toEqual(['a1', 'b1', 'c1']);
});

test('past the bound of those who wait, of all or of a project, a question is refused', async () => {
  const { ask } = queue(new QueryQueue(OPTIONS));
  await Promise.all([ask('a1'), ask('b1')]);
  for (const name of ['a2', 'a3', 'a4']) void ask(name);

  await expect(ask('a5')).rejects.toMatchObject({ code: 'TOO_MANY_QUESTIONS', retryable: true });
  void ask('c1');
  await expect(ask('b2')).rejects.toMatchObject({ code: 'TOO_MANY_QUESTIONS' });
});

test('where as many wait as may, a project that has none takes the turn of the newest of whoever has most', async () => {
  const { entered, ask, leave } = queue(new QueryQueue(OPTIONS));
  await Promise.all([ask('a1'), ask('b1')]);
  const [, , newest] = [ask('a2'), ask('a3'), ask('a4'), ask('b2')];

  void ask('c1');

  await expect(newest).rejects.toMatchObject({ code: 'TOO_MANY_QUESTIONS' });
  await leave('b1');
  expect(entered).toEqual(['a1', 'b1', 'c1']);
});

test('a question whose turn does not come is refused, and takes nobody else’s place', async () => {
  const { entered, ask, leave } = queue(new QueryQueue({ ...OPTIONS, maxWaitMs: 20 }));
  await ask('a1');

  await expect(ask('a2')).rejects.toMatchObject({ code: 'TOO_MANY_QUESTIONS' });

  await leave('a1');
  await ask('a3');
  expect(entered).toEqual(['a1', 'a3']);
});

test('a question that waits is told when the store closes', async () => {
  const stopping = new AbortController();
  const { ask } = queue(new QueryQueue(OPTIONS));
  await ask('a1');
  const waiting = ask('a2', stopping.signal);

  stopping.abort();

  await expect(waiting).rejects.toMatchObject({ code: 'STOPPING' });
});

test('projects that wait take turns, however many questions each has waiting', async () => {
  const { entered, ask, leave } = queue(new QueryQueue({ ...OPTIONS, atOnce: 1 }));
  await ask('a1');
  for (const name of ['a2', 'a3', 'b1']) void ask(name);

  await leave('a1');
  void ask('c1');
  await leave('b1');
  await leave('c1');
  void ask('b2');
  await leave('a2');
  await leave('b2');

  expect(entered).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a project has half of the places, or the only one', async () => {
  const { entered, ask } = queue(fairGate(1));
  await ask('a1');
  expect(entered).toEqual(['a1']);

  const eight = queue(fairGate(8));
  for (let n = 0; n < 8; n++) void eight.ask(`a${n}`);
  await new Promise(setImmediate);
  expect(eight.entered).toHaveLength(4);
});
