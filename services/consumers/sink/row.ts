/** A message as rows for the tables of schemas/clickhouse. Pure: the same message always yields the same. */
import {
  type Column,
  TABLE_COLUMNS,
  type RecordCoordinates,
  type RowTable,
  traitKindOf,
  type TraitRow,
  type UserSeen,
} from '../../stores/analytics/columns.ts';
import { RowBinary } from '../../stores/analytics/row-binary.ts';
import { splitObject } from '../../messages/json.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { Identify, Message, Session } from '../../messages/message.ts';

/** Rows for one table. */
export interface TableRows {
  readonly table: RowTable;
  readonly count: number;
  /** As `RowBinary` writes them. */
  readonly bytes: Uint8Array;
}

/** Every row of a message but the user's. @throws TidemarkError `MESSAGE_UNDECODABLE` */
export function rowsOf(message: Message, at: RecordCoordinates): readonly TableRows[] {
  switch (message.type) {
    case 'track':
      return [tableRows('track_rows', TABLE_COLUMNS.track_rows, [{ message, at }])];
    case 'identify':
      return [tableRows('identify_rows', TABLE_COLUMNS.identify_rows, [{ message, at }]), ...traitRows(message)];
    case 'session':
    default:
      return [tableRows('session_rows', TABLE_COLUMNS.session_rows, [{ message, at }]), ...traitRows(message)];
  }
}

/** The rows of a user that messages named, and of the anonymous ids that came beside. */
export function rowsOfUser(seen: UserSeen): readonly TableRows[] {
  const user = tableRows('user_rows', TABLE_COLUMNS.user_rows, [seen]);
  if (seen.sightings === null) return [user];
  const pairs = Array.from(seen.sightings, ([anonymousId, version]) => ({ seen, anonymousId, version }));
  return [user, tableRows('sighting_rows', TABLE_COLUMNS.sighting_rows, pairs)];
}

/** What a snapshot has of a user: every trait is of a message of its own. */
export function rowsOfChange(change: ProfileChange): readonly TableRows[] {
  const { projectId, userKey, userId, anonymousId, firstSeen, lastSeen } = change;
  const sightings = change.sightings.size === 0 ? null : new Map(change.sightings);
  const user = { projectId, userKey, userId, anonymousId, firstSeen, lastSeen, sightings };
  const traits = Array.from(change.traits, ([trait, state]): TraitRow => {
    const value = state.value ?? 'null';
    return { message: { projectId, userKey, version: state.version }, trait, value, kind: traitKindOf(value) };
  });
  const rows = traits.length === 0 ? [] : [tableRows('trait_rows', TABLE_COLUMNS.trait_rows, traits)];
  return [...rows, ...rowsOfUser(user)];
}

function traitRows(message: Identify | Session): readonly TableRows[] {
  const rows = Array.from(splitObject(message.traits), ([trait, value]) => {
    return { message, trait, value, kind: traitKindOf(value) };
  });
  return rows.length === 0 ? [] : [tableRows('trait_rows', TABLE_COLUMNS.trait_rows, rows)];
}

// Shared by all calls: its memory is as large as the largest message needed.
const out = new RowBinary();

function tableRows<T>(table: RowTable, columns: readonly Column<T>[], rows: readonly T[]): TableRows {
  out.clear();
  for (const row of rows) for (const [, write] of columns) write(out, row);
  return { table, count: rows.length, bytes: out.bytes() };
}
