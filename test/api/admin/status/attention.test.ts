import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ATTENTION_LINKS, attentionTo, type JudgedStatus } from '../../../../services/api/admin/status/attention.ts';

const NOW_MS = Date.UTC(2026, 10, 24);
const DAY_MS = 86_400_000;
const READER = { state: 'ready', lag_messages: 0, lag_seconds: 0, messages_per_second: 0 };
const NONE = { postgres: 0, clickhouse: 0 };

const WELL: JudgedStatus = {
  version: '0.2.0',
  role: 'all',
  uptime_seconds: 30 * 86_400,
  ready: true,
  parts: { ingest: 'ready', eventLog: 'ready', profiles: 'ready', analytics: 'busy', spool: 'empty' },
  rates: { accepted: 1, refused: 0, projected: 1, stored: 1 },
  readers: { projector: READER, sink: READER, 'import-projector': READER, 'import-sink': READER },
  newest_queryable_event: null,
  deleted_from_log: 0,
  processes: [],
  disk: { folder: '/data', total_bytes: 2 ** 40, free_bytes: 2 ** 39, used_bytes: 1, full_at: null },
  stored_bytes: { log: null, profiles: null, analytics: null },
  growth: { log: null, profiles: null, analytics: null },
  verification: { finished_at: '2026-11-23T00:00:00.000000Z', missing: NONE, surplus: NONE },
  dead_letters: { messages: 0, waiting: {}, counted_all: true },
};

function readerIs(changes: Partial<typeof READER>): Partial<JudgedStatus> {
  return { readers: { ...WELL.readers, sink: { ...READER, ...changes } } };
}

function disk(free: number, total: number): Partial<JudgedStatus> {
  return { disk: { folder: '/data', total_bytes: total, free_bytes: free, used_bytes: 1, full_at: null } };
}

function fullIn(days: number): Partial<JudgedStatus> {
  const { disk: well } = WELL;
  return { disk: well && { ...well, full_at: new Date(NOW_MS + days * DAY_MS).toISOString() } };
}

function verified(daysAgo: number, missing = NONE, surplus = NONE): Partial<JudgedStatus> {
  return { verification: { finished_at: new Date(NOW_MS - daysAgo * DAY_MS).toISOString(), missing, surplus } };
}

function erasedSince(hours: number) {
  return { oldest_erasure_at: new Date(NOW_MS - hours * 3_600_000).toISOString() };
}

function backedUp(hoursAgo: number | null, everySeconds = 86_400): Partial<JudgedStatus> {
  const finishedAt = hoursAgo === null ? null : new Date(NOW_MS - hoursAgo * 3_600_000).toISOString();
  return { backup: { folder: '/backups', every_seconds: everySeconds, finished_at: finishedAt, bytes: 1 } };
}

test('an installation that is well wants nothing', () => {
  expect(attentionTo(WELL, NOW_MS)).toEqual([]);
  const { verification: _, ...unknown } = WELL;
  expect(attentionTo({ ...unknown, disk: null, dead_letters: null }, NOW_MS)).toEqual([]);
  expect(attentionTo({ ...WELL, verification: null, uptime_seconds: 6 * 86_400 }, NOW_MS)).toEqual([]);
});

test.each<[string, Partial<JudgedStatus>, string, RegExp]>([
  ['a process that is not ready', { ready: false }, 'not_ready', /readyz/],
  ['a log that is unreachable', { parts: { eventLog: 'away' } }, 'log_unavailable', /eventLog is away/],
  ['a log that lacks its beginning', { deleted_from_log: 7 }, 'log_incomplete', /7 records were deleted/],
  ['a drill', { endpoints_paused_for_drill: 2 }, 'endpoints_paused', /2 endpoints get no webhooks/],
  ['another log', { ready: false, parts: { eventLog: 'replaced' } }, 'log_replaced', /lacks what the readers/],
  ['ingest without its log', { ready: false, parts: { ingest: 'log away' } }, 'log_unavailable', /ingest is log away/],
  ['a store that is unreachable', { parts: { analytics: 'away' } }, 'store_unavailable', /analytics is away/],
  ['a wrong clock', { ready: false, parts: { ingest: 'clock skewed' } }, 'clock_skewed', /clock/],
  ['a spool in use', { parts: { spool: 'waiting' } }, 'spool_in_use', /spool is waiting/],
  ['a reader without a process', readerIs({ state: 'missing' }), 'reader_missing', /no process .* sink/],
  ['a failed reader', readerIs({ state: 'failed' }), 'reader_failed', /sink has failed/],
  ['a stuck reader', readerIs({ state: 'stuck: cannot insert (STORE_TIMEOUT)' }), 'reader_stuck', /cannot insert/],
  ['a reader over a minute behind', readerIs({ lag_seconds: 61, lag_messages: 9 }), 'reader_behind', /61 s and 9 mess/],
  [
    'dead letters of two readers',
    { dead_letters: { messages: 4, waiting: { sink: 1, projector: 4 }, counted_all: true } },
    'dead_letters_waiting',
    /^4 dead letters wait$/,
  ],
  [
    'one dead letter',
    { dead_letters: { messages: 1, waiting: { sink: 1 }, counted_all: true } },
    'dead_letters_waiting',
    /^1 dead letter waits$/,
  ],
  ['a disk with less than a gigabyte', disk(2 ** 30 - 1, 2 ** 32), 'disk_low', /1024 MiB of 4096/],
  ['a disk with less than a tenth', disk(2 ** 36, 2 ** 40), 'disk_low', /65536 MiB/],
  ['a disk that is full within a week', fullIn(6.9), 'disk_full_soon', /^the disk of \/data is full on 2026-11-30 if/],
  [
    'a verification that missed',
    verified(1, { postgres: 0, clickhouse: 3 }),
    'verification_found_difference',
    /3 miss/,
  ],
  ['a surplus', verified(1, NONE, { postgres: 1, clickhouse: 0 }), 'verification_found_difference', /1 surplus/],
  ['a verification of eight days ago', verified(8), 'verification_old', /8 days ago/],
  ['no verification in seven days', { verification: null }, 'verification_old', /never/],
  ['a backup that is older than twice its schedule', backedUp(49), 'backup_old', /every 24 hours, .* 49 hours old/],
  ['no backup in twice its schedule', { ...backedUp(null), uptime_seconds: 172_801 }, 'backup_old', /never been one/],
  [
    'no backup in a day where none is ever made',
    { backup: { folder: null, every_seconds: 0, finished_at: null, bytes: null }, uptime_seconds: 86_401 },
    'backup_missing',
    /never been a backup, and BACKUP_DIR is not set/,
  ],
  [
    'somebody who waits to be forgotten for more than a day',
    erasedSince(25),
    'erasure_late',
    /is to be forgotten since/,
  ],
  [
    'somebody who waits to be forgotten because of something',
    { ...erasedSince(1), erasures_wait_because: 'the disk of /data has 200 MiB of free space' },
    'erasure_waits',
    /is not yet: the disk of \/data/,
  ],
])('%s wants attention', (_, changes, code, reason) => {
  expect(attentionTo({ ...WELL, ...changes }, NOW_MS)).toMatchObject([
    { code, reason: expect.stringMatching(reason) as string },
  ]);
});

test('no backup is well within the first day, after one by hand, and where BACKUP_EVERY is off', () => {
  const none = { folder: null, every_seconds: 0, finished_at: null, bytes: null };
  const byHand = { ...none, finished_at: '2026-11-01T00:00:00.000000Z', bytes: 1 };

  expect(attentionTo({ ...WELL, backup: none, uptime_seconds: 86_400 }, NOW_MS)).toEqual([]);
  expect(attentionTo({ ...WELL, backup: byHand }, NOW_MS)).toEqual([]);
  expect(attentionTo({ ...WELL, backup: none }, NOW_MS, true)).toEqual([]);
});

test('a minute, a gigabyte, a tenth and seven days are well, and a disk that lasts longer than a week', () => {
  const states = [
    readerIs({ lag_seconds: 60, lag_messages: 9 }),
    disk(2 ** 30, 2 ** 32),
    fullIn(7.1),
    verified(7),
    backedUp(48),
    backedUp(null, 0),
  ];
  for (const changes of states) expect(attentionTo({ ...WELL, ...changes }, NOW_MS)).toEqual([]);
});

test('every link names a page and a heading that is there', () => {
  for (const link of Object.values(ATTENTION_LINKS)) {
    const [page = '', anchor] = link.split('#');
    expect(existsSync(page), link).toBe(true);
    const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
    const anchors = headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    if (anchor !== undefined) expect(anchors, link).toContain(anchor);
  }
});
