import { describe, expect, test, vi } from 'vitest';
import { IMPORT_TOPICS, LIVE_TOPICS } from '../../../services/messages/message.ts';
import { ALL_TIME, userName, EVERYBODY } from '../../../services/stores/erasures/erased-users.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { sinkBench } from '../../support/service/sink.ts';

const bench = sinkBench();
const PATIENCE = { timeout: 20_000, interval: 10 };
const LIVE = { topics: LIVE_TOPICS };
const IMPORT = { topics: IMPORT_TOPICS, group: 'import' };

function caughtUp(): Promise<void> {
  return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
}

describe('a message that was sent live and imported too', () => {
  test.each([
    { order: 'live first', lanes: [LIVE, IMPORT] },
    { order: 'import first', lanes: [IMPORT, LIVE] },
  ])('a message that was sent live and imported is one event, and the live copy is kept: $order', async ({ lanes }) => {
    const maker = new MessageMaker();
    const said = { messageId: 'm-1', timestamp: 1_700_000_000_000_000n };
    // The import's copy has the lower offset: within a lane it would be the first.
    bench().put([maker.track(), maker.track({ ...said, properties: '{"lane":"live"}' })]);
    bench().putImported([maker.track({ ...said, properties: '{"lane":"import"}' })]);

    for (const lane of lanes) {
      bench().run(lane);
      await vi.waitFor(() => expect(bench().inserts).toHaveLength(lanes.indexOf(lane) + 1), PATIENCE);
    }
    await caughtUp();

    const { store } = bench().analytics;
    const rows = await ask(store, "SELECT properties_text FROM events WHERE message_id = 'm-1'");
    expect(rows).toEqual([{ properties_text: '{"lane":"live"}' }]);
    const { userKey } = maker.track();
    const listed = await store.userEvents({ projectId: maker.projectId, userKey, limit: 10 });
    expect(listed.map(({ properties }) => properties)).toEqual(['{}', '{"lane":"live"}']);
  });

  test('live and imported traits merge by their versions, and a repeat within the import counts once', async () => {
    const maker = new MessageMaker();
    const older = maker.identify({ messageId: 'm-1', timestamp: 1_700_000_000_000_000n, traits: '{"plan":"free"}' });
    const repeat = maker.identify({ ...older, traits: '{"plan":"changed"}' });
    bench().put([maker.identify({ messageId: 'm-1', traits: '{"plan":"pro"}' })]);
    bench().putImported([older, repeat, maker.identify({ ...older, messageId: 'm-2', traits: '{"since":2020}' })]);

    bench().run(IMPORT);
    bench().run(LIVE);
    await caughtUp();

    const profiles = await ask(bench().analytics.store, 'SELECT traits FROM profiles');
    expect(profiles).toEqual([{ traits: '{"plan":"pro","since":2020}' }]);
    expect(bench().inserts.map(({ repeats }) => repeats)).toContain(1);
  });
});

test('a sink that is to insert rarely gathers what comes meanwhile, and inserts at once when it is full', async () => {
  const maker = new MessageMaker();
  bench().putImported([maker.track()]);
  bench().run({ ...IMPORT, insertEveryMs: 600_000, maxRows: 300 });
  await caughtUp();

  for (let i = 0; i < 4; i++) bench().putImported(Array.from({ length: 100 }, () => maker.track()));
  await caughtUp();

  expect(bench().inserts[1]?.messages).toBeGreaterThanOrEqual(300);
});

test('a sink that is to insert rarely does not wait where nothing comes any more', async () => {
  const maker = new MessageMaker();
  bench().putImported([maker.track()]);
  bench().run({ ...IMPORT, insertEveryMs: 600_000 });
  await caughtUp();

  bench().putImported([maker.track(), maker.track()]);
  await caughtUp();

  expect(bench().inserts.map(({ messages }) => messages)).toEqual([1, 2]);
});

test('messages of a project that was deleted are passed and not copied', async () => {
  const [maker, gone] = [new MessageMaker(), new MessageMaker()];
  const given = { messageId: 'm-1', messageIdGiven: true };
  bench().put([gone.track(), maker.track(), gone.identify(given), gone.identify(given), gone.session()]);

  bench().run({ leftOut: async () => new Map([[userName(gone.projectId, EVERYBODY), ALL_TIME]]) });
  await caughtUp();

  const sql = 'SELECT project_id, count() AS n FROM user_rows GROUP BY project_id';
  expect(await ask(bench().analytics.store, sql)).toEqual([{ project_id: maker.projectId, n: '1' }]);
  expect(bench().inserts.reduce((sum, { messages }) => sum + messages, 0)).toBe(1);
});
