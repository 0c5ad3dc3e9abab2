/** A message as lines for the tables of schemas/clickhouse. Pure: the same message always yields the same. */
import {
  TABLE_COLUMNS,
  lineOf,
  quoted,
  type RecordCoordinates,
  type RowTable,
  traitKindOf,
  type UserSeen,
} from '../../stores/analytics/columns.ts';
import { splitObject } from '../../messages/json.ts';
import type { Identify, Message, Session } from '../../messages/message.ts';

/** A line for a table: the values of its columns as a JSON array. */
export type Row = readonly [table: RowTable, line: string];

/** Every row of a message but the user's; `user` is their number. */
export function rowsOf(message: Message, user: string, at: RecordCoordinates): readonly Row[] {
  const version = message.type === 'track' ? '' : decimal(message.version);
  switch (message.type) {
    case 'track':
      return [['track_rows', lineOf(TABLE_COLUMNS.track_rows, { message, user, version, at })]];
    case 'identify':
      return [
        ['identify_rows', lineOf(TABLE_COLUMNS.identify_rows, { message, user, version, at })],
        ...traitRows(message, user, version),
      ];
    case 'session':
    default:
      return [
        ['session_rows', lineOf(TABLE_COLUMNS.session_rows, { message, user, version, at })],
        ...traitRows(message, user, version),
      ];
  }
}

/** The row of a user that messages named. */
export function userRow(seen: UserSeen): Row {
  return ['user_rows', lineOf(TABLE_COLUMNS.user_rows, seen)];
}

function traitRows({ projectId, traits }: Identify | Session, user: string, version: string): Row[] {
  const project = quoted(projectId);
  return Array.from(splitObject(traits), ([trait, value]) => {
    const row = { project, user, version, trait, value, kind: traitKindOf(value) };
    return ['trait_rows', lineOf(TABLE_COLUMNS.trait_rows, row)];
  });
}

/** A version's hexadecimal digits as a decimal number. */
function decimal(version: string): string {
  return BigInt(`0x${version}`).toString();
}
