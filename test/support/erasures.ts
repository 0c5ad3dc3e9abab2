import { userKeyOf } from '../../services/messages/user-key.ts';
import type { Queryable } from '../../services/stores/database/database.ts';
import type { ErasureRow } from '../../services/operations/erasure/erasures-file.ts';
import { insertRows } from '../../services/operations/backup/tables.ts';

const REQUESTED_US = Date.UTC(2026, 10, 24) * 1_000;

/** That a user of a project is to be forgotten, and all messages of the user. */
export function erasureOf(projectId: string, userId: string, given: Partial<ErasureRow> = {}): ErasureRow {
  return {
    id: `erasure_${userKeyOf(projectId, userId).slice(0, 20)}`,
    project_id: projectId,
    user_key: userKeyOf(projectId, userId),
    cut_us: null,
    suppress: true,
    came_with: null,
    state: 'pending',
    requested_at_us: REQUESTED_US,
    due_at_us: REQUESTED_US + 30 * 86_400_000_000,
    finished_at_us: null,
    lifted_at_us: null,
    actor: 'local',
    report: null,
    kept_apart: null,
    ...given,
  };
}

export function askFor(database: Queryable, ...rows: readonly ErasureRow[]): Promise<void> {
  const lines = rows.map((row) => JSON.stringify(row));
  return insertRows(database, 'erasures', lines);
}
