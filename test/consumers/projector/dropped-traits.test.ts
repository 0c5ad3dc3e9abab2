import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify } from '../../support/messages/messages.ts';
import { append } from '../../support/service/projector.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const database = sharedDatabase();

test('of more traits than a profile keeps the newest are written, and the others reported', async () => {
  const log = new MemoryLog();
  const ada = { projectId: randomProjectId(), userId: 'ada' };
  const names = (from: number) => Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`t${from + n}`, 1]));
  const messages = [0, 6_000].map((from) => identify({ ...ada, traits: JSON.stringify(names(from)) }));
  append(log, messages);
  const dropped: number[] = [];
  const store = new SqlProfileStore(database());

  const projector = new Projector({
    log,
    store,
    codec,
    logger: pino({ level: 'silent' }),
    repeatWindowMs: 60_000,
    onDropped: (some) => dropped.push(...some.map(({ traits }) => traits)),
  });
  onTestFinished(() => projector.stop());
  projector.start();

  const profile = () => store.find(ada.projectId, messages[0]!.userKey);
  const kept = async () => Object.keys(JSON.parse((await profile())?.traits ?? '{}') as object);
  await expect.poll(async () => (await kept()).length).toBe(10_000);
  expect(await kept()).toEqual(expect.arrayContaining(['t6000', 't11999']));
  expect(dropped).toEqual([2_000]);
});
