import { describe, expect, test } from 'vitest';
import type { LiveRow } from '../../../console/src/api/types.ts';
import { withNames } from '../../../console/src/screens/live-names.ts';

function messageOf(type: LiveRow['type'], id: string, members: Partial<LiveRow> = {}): LiveRow {
  const log = { topic: 'tidemark.track', partition: { rawJSON: '0' } as LiveRow['log']['partition'], offset: '1' };
  const at = '2026-11-29T12:00:00.000Z';
  const ids = { user_id: id, anonymous_id: null, internal_id: id, message_id: 'm', timestamp: at, received_at: at };
  return { type, ...ids, log, ...members };
}

describe('names in the stream', () => {
  test('an event that came before the profile had its name has that of the identify beside it', () => {
    const rows = [
      messageOf('track', 'ada'),
      messageOf('identify', 'ada', { traits: { name: 'Ada Lovelace' } }),
      messageOf('track', 'bob'),
    ];

    const [event, , other] = withNames(rows);

    expect(event?.user_traits).toEqual({ name: 'Ada Lovelace' });
    expect(other).toBe(rows[2]);
  });

  test('an event between two identifies has the newest name, and a profile that has one wins', () => {
    const rows = [
      messageOf('identify', 'ada', { traits: { name: 'Ada King' } }),
      messageOf('track', 'ada'),
      messageOf('track', 'ada', { user_traits: { name: null } }),
      messageOf('track', 'ada', { user_traits: { name: 'Ada of the profile' } }),
      messageOf('identify', 'ada', { traits: { name: 'Ada Byron' } }),
    ];

    const names = withNames(rows).map(({ user_traits: traits }) => traits?.['name']);

    expect(names).toEqual(['Ada King', 'Ada King', 'Ada King', 'Ada of the profile', 'Ada King']);
  });
});
