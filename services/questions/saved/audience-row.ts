/** The row of a saved audience (schemas/postgres/005-audiences.sql). */
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import type { Queryable } from '../../stores/database/database.ts';
import type { EvaluationCause } from '../../stores/analytics/analytics-store.ts';
import type { SavedAudience } from './audience-store.ts';

/** Up to when a live audience is up to date. */
export const LIVE_THROUGH = `greatest(live_through, (select through from live_epochs where epoch = live_epoch))`;

/** A row if this epoch is open. @param epoch As SQL. */
export function openEpoch(epoch: string): string {
  return `select 1 from live_epochs where epoch = ${epoch} and closed_at_ms is null`;
}

export const AUDIENCE_COLUMNS = `id, project_id, name, note, tags, definition, version, revision, refresh_ms, created_at_ms, updated_at_ms, evaluated_at,
  evaluated_version, evaluated_cause, members, entered, left_members, failure, is_live,
  ${LIVE_THROUGH} as live_through, live_epoch is not null as is_followed`;

export type AudienceRow = {
  id: string;
  project_id: string;
  name: string;
  note: string;
  tags: string[];
  definition: string;
  version: number;
  revision: number;
  refresh_ms: bigint | null;
  created_at_ms: bigint;
  updated_at_ms: bigint;
  evaluated_at: bigint | null;
  evaluated_version: number | null;
  evaluated_cause: EvaluationCause | null;
  members: bigint | null;
  entered: bigint | null;
  left_members: bigint | null;
  failure: ErrorCode | null;
  is_live: boolean;
  live_through: bigint | null;
  is_followed: boolean;
};

export type ClaimRow = AudienceRow & { claimed_at: bigint; deleted_at_ms: bigint | null };

export function toAudience(row: AudienceRow): SavedAudience {
  const { evaluated_at: at, evaluated_version: version, evaluated_cause: cause } = row;
  const isEvaluated = at !== null && version !== null && cause !== null;
  const counts = { members: Number(row.members), entered: Number(row.entered), left: Number(row.left_members) };
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    note: row.note,
    tags: row.tags,
    definition: row.definition,
    version: row.version,
    revision: row.revision,
    refreshMs: row.refresh_ms === null ? null : Number(row.refresh_ms),
    isLive: row.is_live,
    liveThrough: row.live_through,
    isFollowed: row.is_live && row.is_followed,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    evaluation: isEvaluated ? { at, version, cause, ...counts } : null,
    failure: row.failure,
  };
}

/** Whether an audience of the project, other than `not`, has the name. */
export async function isNameInUse(
  database: Queryable,
  { projectId, name, not = '' }: { readonly projectId: string; readonly name: string; readonly not?: string },
): Promise<boolean> {
  const sql = 'select id from audiences where project_id = $1 and name = $2 and id <> $3 and deleted_at_ms is null';
  return (await database.query(sql, [projectId, name, not])).length > 0;
}

export function unknown(id: string): TidemarkError {
  return new TidemarkError('AUDIENCE_UNKNOWN', `There is no saved audience ${JSON.stringify(id)}.`);
}

export function exists(name: string): TidemarkError {
  return new TidemarkError('AUDIENCE_EXISTS', `There is a saved audience ${JSON.stringify(name)} already.`);
}

/** @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_CHANGED` where it has none of these revisions. */
export function refuseUnlessAt(
  found: SavedAudience | undefined,
  id: string,
  revisions: readonly number[] | undefined,
): void {
  if (found === undefined) throw unknown(id);
  if (revisions?.includes(found.revision) === false) {
    throw new TidemarkError('AUDIENCE_CHANGED', `The audience ${JSON.stringify(id)} has been changed meanwhile.`);
  }
}

/** A number as the statements take it. */
export function bigintOf(number: number | null): bigint | null {
  return number === null ? null : BigInt(number);
}
