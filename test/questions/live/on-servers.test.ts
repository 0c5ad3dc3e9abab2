import { expect, onTestFinished, test } from 'vitest';
import {
  changesSince,
  find,
  isFollowing,
  named,
  save,
  track,
  WITHIN_A_MINUTE,
} from '../../support/live/live-requests.ts';
import { canRunOnServers } from '../../support/service/server-settings.ts';
import { READ_KEY, ServiceProcess } from '../../support/service/service.ts';
import { type LimitedUser, roleOf } from '../../support/stores/limited-users.ts';
import { startServersWithRights } from '../../support/stores/servers-with-rights.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.skipIf(!(await canRunOnServers()))(
  'on servers one of two sinks follows what both insert, and the other goes on when it is killed',
  { timeout: 240_000 },
  async () => {
    const servers = await startServersWithRights();
    await servers.users.migrate();
    const folder = await temporaryFolder();
    const start = (user: LimitedUser): Promise<ServiceProcess> =>
      ServiceProcess.start(folder, servers.users.settingsOf(user), roleOf(user));
    const [admin, ingest] = await Promise.all([start('admin'), start('ingest')]);
    const readers = await Promise.all((['projector', 'sink', 'sink'] as const).map(start));
    onTestFinished(async () => {
      await Promise.all([admin, ingest, ...readers].map((each) => each.stop('SIGKILL')));
      await servers.drop();
    });
    const { id } = await save(ingest, { name: 'Buyers', definition: { event: 'Bought' }, refresh: 'live' });
    await expect.poll(() => find(ingest, id), WITHIN_A_MINUTE).toMatchObject({ live_through: expect.any(String) });

    // There are more users than partitions, so that each sink inserts some.
    const users = Array.from({ length: 30 }, (_, index) => `user ${index}`);
    await Promise.all(users.map((user) => track(ingest, user, 'Bought')));
    const changes = async () => named(await changesSince(ingest, id, undefined, 0)).toSorted();
    await expect.poll(changes, WITHIN_A_MINUTE).toEqual(users.map((user) => `${user} entered`).toSorted());
    const evaluated = await ingest.request(`/v1/audiences/${id}/evaluate`, {}, { api_key: READ_KEY });
    expect([evaluated.status, await evaluated.json()]).toMatchObject([200, { evaluation: { members: 30 } }]);

    const following = await Promise.all(readers.slice(1).map((sink) => isFollowing(sink)));
    expect(following.filter((each) => each)).toHaveLength(1);
    await readers[1 + following.indexOf(true)]?.stop('SIGKILL');
    await track(ingest, 'later', 'Bought');

    await expect.poll(changes, WITHIN_A_MINUTE).toContain('later entered');
    expect(await changes()).toHaveLength(31);
    await expect.poll(() => find(ingest, id), WITHIN_A_MINUTE).toMatchObject({ live_through: expect.any(String) });
  },
);
