import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { records } from '../support/event-log/event-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('opening an event log', () => {
  test('log:FOLDER opens the embedded log, with four partitions by default', async () => {
    const folder = join(await temporaryFolder(), 'data', 'event-log');

    const log = await openEventLog(`log:${folder}`, { topics: ['t'] });

    expect(await log.append(records('t', 3))).toHaveLength(3);
    expect(await log.ends(['t'])).toHaveLength(4);
    await log.close();
  });

  test.each(['ftp://host/log', 'kafka:', 'kafka://', 'log', 'log:', 'lmdb:data/event-log', ':x', ''])(
    'opening %j is refused',
    async (url) => {
      await expect(openEventLog(url, { topics: ['t'] })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );

  test.each([
    { topics: [] },
    { topics: ['t', 't'] },
    { topics: ['t'], partitions: 0 },
    { topics: ['t'], partitions: 1.5 },
    { topics: ['t'], partitions: 100_000 },
  ])('the event log refuses to open with $topics and $partitions partitions', async (options) => {
    const url = `log:${await temporaryFolder()}`;

    await expect(openEventLog(url, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
