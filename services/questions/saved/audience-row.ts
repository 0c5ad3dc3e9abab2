/** The row of a saved audience (schemas/postgres/005-audiences.sql). */
import type { ErrorCode } from '../../runtime/errors.ts';
import type { EvaluationCause } from '../../stores/analytics/analytics-store.ts';
import type { SavedAudience } from './audience-store.ts';

/** Up to when a live audience is up to date. */
export const LIVE_THROUGH = `greatest(live_through, (select through from live_epochs where epoch = live_epoch))`;

export const AUDIENCE_COLUMNS = `id, project_id, name, note, tags, definition, version, revision, refresh_ms, created_at_ms, updated_at_ms, evaluated_at,
  evaluated_version, evaluated_cause, members, entered, left_members, failure, is_live,
  ${LIVE_THROUGH} as live_through`;

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
    liveThrough: row.is_live ? row.live_through : null,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    evaluation: isEvaluated ? { at, version, cause, ...counts } : null,
    failure: row.failure,
  };
}
