import { expect, test } from 'vitest';
import { ALL_TIME, userName, EVERYBODY } from '../../../services/stores/erasures/erased-users.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { sinkBench } from '../../support/service/sink.ts';

const bench = sinkBench();

test('what waited for analytics while its project was deleted is not inserted any more', async () => {
  const [gone, kept] = [new MessageMaker(randomProjectId()), new MessageMaker(randomProjectId())];
  bench().put([
    gone.track(),
    gone.identify({ traits: '{"plan":"pro"}' }),
    kept.track(),
    gone.track({ messageIdGiven: false }),
    kept.identify({ traits: '{"plan":"pro"}' }),
  ]);
  const erased = new Map<string, bigint>();
  let attempts = 0;
  bench().analytics.before = () => {
    erased.set(userName(gone.projectId, EVERYBODY), ALL_TIME);
    // An attempt inserts messages and users side by side.
    if (attempts++ < 2) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  };

  bench().run({ leftOut: async () => new Map(erased) });

  await expect.poll(() => bench().hasCaughtUp()).toBe(true);
  expect(attempts).toBeGreaterThan(2);
  for (const table of ['track_rows', 'user_track_rows', 'trait_rows', 'user_rows', 'identify_rows']) {
    const rows = await ask(bench().analytics.store, `SELECT DISTINCT project_id FROM ${table}`);
    expect(rows, table).toEqual([{ project_id: kept.projectId }]);
  }
});

test('what waited for analytics while somebody was forgotten is not inserted, and later messages are', async () => {
  const shop = new MessageMaker(randomProjectId());
  const gone = shop.track({ userId: 'gone' });
  const later = shop.track({ userId: 'gone' });
  bench().put([gone, shop.track({ messageIdGiven: false }), later]);
  const users = new Map<string, bigint>();
  let attempts = 0;
  bench().analytics.before = () => {
    // Its erasure is over: messages that are received later are taken.
    users.set(userName(gone.projectId, gone.userKey), gone.receivedAt);
    if (attempts++ < 2) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  };

  bench().run({ leftOut: async () => new Map(users) });

  await expect.poll(() => bench().hasCaughtUp()).toBe(true);
  expect(attempts).toBeGreaterThan(2);
  const sql = 'SELECT message_id FROM track_rows WHERE project_id = {p:String} AND user = {user:UInt128}';
  const params = { p: shop.projectId, user: userNumber(gone.userKey) };
  expect(await ask(bench().analytics.store, sql, params)).toEqual([{ message_id: later.messageId }]);
});
