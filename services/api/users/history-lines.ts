/** What happened to a user, each as the JSON of an object with its `type`: in the export and in the timeline. */
import { formatMicros } from '../../messages/timestamp.ts';
import type { IdentifyRow, SessionRow, UserChangeRow, VersionTraitsRow } from '../../questions/users/user-history.ts';

/** Traits are JSON text already and go in untouched, every digit kept. */
export function messageLine(row: IdentifyRow | SessionRow, traits: VersionTraitsRow['traits']): string {
  const own =
    'session_id' in row
      ? { type: 'session', session_id: row.session_id, anonymous: row.anonymous }
      : { type: 'identify', anonymous_id: row.anonymous_id === '' ? null : row.anonymous_id };
  const head = JSON.stringify({
    ...own,
    message_id: row.message_id,
    timestamp: formatMicros(BigInt(row.occurred)),
    received_at: formatMicros(BigInt(row.received)),
    version: BigInt(row.version).toString(16).padStart(32, '0'),
  });
  return `${head.slice(0, -1)},"traits":${traitsObject(traits)}}`;
}

/** The JSON of what a message says of traits: null of one that it deletes. */
export function traitsObject(traits: VersionTraitsRow['traits']): string {
  const members = traits.map(
    ([trait, kind, value]) => `${JSON.stringify(trait)}:${kind === 'deleted' ? 'null' : value}`,
  );
  return `{${members.join(',')}}`;
}

export function changeLine(
  { audience_id: id, change, at, version, cause }: UserChangeRow,
  name: string | null,
): string {
  const time = formatMicros(BigInt(at));
  return JSON.stringify({ type: 'audience', audience_id: id, name, change, at: time, version, cause });
}

export function typed(type: string, body: string): string {
  return `{"type":"${type}",${body.slice(1)}`;
}
