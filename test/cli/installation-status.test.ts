import { expect, test } from 'vitest';
import type { Answer } from '../../schemas/operations.ts';
import { installationText } from '../../services/cli/installation-status.ts';

const READER = { state: 'ready', lag_messages: 0, lag_seconds: 0, messages_per_second: 12.4 };
const NONE = { postgres: 0, clickhouse: 0 };
const STATUS: Answer<'GET /v1/admin/status'> = {
  version: '0.2.0',
  role: 'all',
  uptime_seconds: 1,
  ready: true,
  parts: { ingest: 'ready', sink: 'ready' },
  rates: { accepted: 12.4, refused: 0.25, projected: 12, stored: 12 },
  readers: {
    projector: READER,
    sink: { state: 'missing', lag_messages: 7, lag_seconds: 65.2, messages_per_second: 0 },
    'import-projector': READER,
    'import-sink': { ...READER, lag_messages: null, lag_seconds: null },
  },
  newest_queryable_event: { at: '2026-11-24T00:00:00.000000Z', age_seconds: 3.2 },
  deleted_from_log: 0,
  processes: [],
  disk: { folder: '/data', total_bytes: 2 ** 31, free_bytes: 2 ** 30, used_bytes: 2 ** 20, full_at: null },
  stored_bytes: { log: 2 ** 21, profiles: 2 ** 20, analytics: null },
  growth: { log: null, profiles: null, analytics: null },
  verification: { finished_at: '2026-11-24T00:00:00.000000Z', missing: NONE, surplus: NONE },
  dead_letters: { messages: 3, waiting: { sink: 2, projector: 2 }, counted_all: false },
  attention: [{ code: 'reader_missing', reason: 'no process reports that it runs sink', link: 'docs/x.md' }],
};

test('the status of an installation is told in lines, each part once', () => {
  expect(
    installationText('at http://host:8080', STATUS)
      .split('\n')
      .map((line) => line.replace(/ +/g, ' ')),
  ).toEqual([
    'Tidemark 0.2.0 at http://host:8080, role all, is ready.',
    'ingest ready',
    'accepted 12 messages/s, 0.3 refused',
    'projector ready, 12 messages/s, 0 behind',
    'sink missing, 0 messages/s, 7 behind (65 s)',
    'import-projector ready, 12 messages/s, 0 behind',
    'import-sink ready, 12 messages/s, unknown behind',
    'newest event queryable, recorded 3.2 s ago',
    'dead letters at least 3 waiting',
    'verified 2026-11-24T00:00:00.000000Z',
    'disk 1024 MiB of 2048 MiB free',
    'stored log 2 MiB, profiles 1 MiB',
    'Wants attention:',
    ' reader_missing: no process reports that it runs sink (docs/x.md)',
    '',
  ]);
});

test('the status says how much each store grows a day, and when the disk is full', () => {
  const since = '2026-11-17T06:00:00.000000Z';
  const growth = {
    log: { bytes_a_day: 3 * 2 ** 20, since },
    profiles: null,
    analytics: { bytes_a_day: -(2 ** 20), since: '2026-11-20T06:00:00.000000Z' },
  };
  const disk = { ...STATUS.disk!, full_at: '2027-10-31T06:00:00.000000Z' };

  const text = installationText('at http://host', { ...STATUS, disk, growth }).replace(/ +/g, ' ');

  expect(text).toContain('disk 1024 MiB of 2048 MiB free, full on 2027-10-31 at this rate\n');
  expect(text).toContain(
    'log growth 3 MiB a day since 2026-11-17\nanalytics growth -1 MiB a day since 2026-11-20\nWants',
  );
});

test.each([
  [null, null, 'backups none (BACKUP_DIR is not set)'],
  ['/backups', null, 'backups none so far in /backups'],
  ['/backups', '2026-11-24T00:00:00.000000Z', 'backups 2026-11-24T00:00:00.000000Z'],
])('of backups in %s, the last %s, the status says "%s"', (folder, last, line) => {
  const backup = { folder, every_seconds: 0, finished_at: last, bytes: null };
  const lines = installationText('at http://host', { ...STATUS, backup }).split('\n');
  expect(lines.map((text) => text.replace(/ +/g, ' '))).toContain(line);
});

test('requests that no project is known for are told by cause, with the last of them', () => {
  const last = {
    key_id: 'tm_w_9x2…',
    key_name: null,
    path: '/v1/track',
    code: 'unauthorized',
    pointer: '',
    message: 'from 192.0.2.17: This needs a valid key',
    count: 5,
    first: '2026-11-24T00:00:00.000000Z',
    last: '2026-11-24T00:00:01.000000Z',
    example: null,
    user_agent: null,
  };
  const strangers = { last_minute: 3, today: { unauthorized: 5, 'not-found': 2 }, last };
  const text = installationText('at http://host', { ...STATUS, without_project: strangers }).replace(/ +/g, ' ');

  expect(text).toContain('refused today 5 without a valid key, 2 at a path that is not there (3 in the last minute)\n');
  expect(text).toMatch(/refused last \/v1\/track, key tm_w_9x2…, .*192\.0\.2\.17/);
});

test('what is not known is left out of the status', () => {
  const { verification: _, ...unknown } = STATUS;
  const nothing = { newest_queryable_event: null, disk: null, dead_letters: null, attention: [], ready: false };
  const text = installationText('at http://host', {
    ...unknown,
    ...nothing,
    stored_bytes: { ...STATUS.stored_bytes, log: null, profiles: null },
  });

  expect(text).toContain('NOT READY');
  expect(text).toContain('Nothing wants attention.');
  for (const word of ['newest', 'dead letters', 'verified', 'disk', 'stored', 'growth'])
    expect(text).not.toContain(word);
});
