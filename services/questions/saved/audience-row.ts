/** The row of a saved audience (schemas/postgres/005-audiences.sql). */
import type { Micros } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { inCamelCase, type Queryable } from '../../stores/database/database.ts';
import type { Difference, EvaluationCause } from '../../stores/analytics/analytics-store.ts';
import type { SavedAudience } from './audience-store.ts';

/** Up to when a live audience is up to date. */
export const LIVE_THROUGH = `greatest(live_through, (select through from live_epochs where epoch = live_epoch))`;

/** A row if this epoch is open. @param epoch As SQL. */
export function openEpoch(epoch: string): string {
  return `select 1 from live_epochs where epoch = ${epoch} and closed_at_ms is null`;
}

export const AUDIENCE_COLUMNS = `${inCamelCase(
  `id, project_id, name, note, tags, definition, version, revision, refresh_ms::float8, created_at_ms::float8,
  updated_at_ms::float8, evaluated_at, evaluated_version, evaluated_cause, members::float8, entered::float8, failure, is_live`,
)}, left_members::float8 as "left", ${LIVE_THROUGH} as "liveThrough", is_live and live_epoch is not null as "isFollowed"`;

export type AudienceRow = Omit<SavedAudience, 'evaluation'> &
  Difference & {
    readonly evaluatedAt: Micros | null;
    readonly evaluatedVersion: number | null;
    readonly evaluatedCause: EvaluationCause | null;
  };

export type ClaimRow = AudienceRow & { readonly claimedAt: Micros; readonly isDeleted: boolean };

export function toAudience(row: AudienceRow): SavedAudience {
  const {
    evaluatedAt: at,
    evaluatedVersion: version,
    evaluatedCause: cause,
    members,
    entered,
    left,
    ...audience
  } = row;
  const isEvaluated = at !== null && version !== null && cause !== null;
  return { ...audience, evaluation: isEvaluated ? { at, version, cause, members, entered, left } : null };
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
