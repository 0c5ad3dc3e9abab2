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
  disk: { folder: '/data', total_bytes: 2 ** 31, free_bytes: 2 ** 30, used_bytes: 2 ** 20 },
  stored_bytes: { log: 2 ** 21, profiles: 2 ** 20, analytics: null },
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
  for (const word of ['newest', 'dead letters', 'verified', 'disk', 'stored']) expect(text).not.toContain(word);
});
