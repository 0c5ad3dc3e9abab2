/** The rows of `LiveHistory`. Pure. */
import type { LiveChange } from './live-history.ts';
import { RowBinary } from './row-binary.ts';

type ChangeColumn = readonly [name: string, write: (out: RowBinary, change: LiveChange) => void];

const MEMBER_COLUMNS: readonly ChangeColumn[] = [
  ['project_id', (out, { projectId }) => out.string(projectId)],
  ['audience_id', (out, { audienceId }) => out.string(audienceId)],
  ['user', (out, { userKey }) => out.uint128(userKey)],
  ['change', (out, { change }) => out.byte(change === 'entered' ? 1 : 0)],
  ['evaluated_at', (out, { at }) => out.int64(at)],
];

const CHANGE_COLUMNS: readonly ChangeColumn[] = [
  ...MEMBER_COLUMNS,
  ['user_id', (out, { userId }) => out.string(userId ?? '')],
  ['internal_id', (out, { userKey }) => out.string(userKey)],
  ['version', (out, { version }) => out.uint32(version)],
  ['cause', (out, { cause }) => out.string(cause)],
  ['person', (out, { person }) => out.string(person ?? '')],
  ['anonymous_id', (out, { anonymousId }) => out.string(anonymousId ?? '')],
  ['epoch', (out, { epoch }) => out.uint64(epoch)],
];

/** The rows of a table, for an insert. */
export interface LiveRows {
  readonly table: string;
  readonly columns: string;
  readonly bytes: Uint8Array;
}

export function changeRows(changes: readonly LiveChange[]): LiveRows {
  return liveRows('audience_changes', CHANGE_COLUMNS, changes);
}

export function memberRows(changes: readonly LiveChange[]): LiveRows {
  return liveRows('audience_members', MEMBER_COLUMNS, changes);
}

function liveRows(table: string, columns: readonly ChangeColumn[], changes: readonly LiveChange[]): LiveRows {
  const out = new RowBinary();
  for (const change of changes) for (const [, write] of columns) write(out, change);
  return { table, columns: columns.map(([name]) => name).join(', '), bytes: out.bytes() };
}
