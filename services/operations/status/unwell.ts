/** The webhooks and saved audiences that are not well: what operators and the people of a project are told alike. */
import type { Queryable } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';

export interface Unwell {
  readonly code: 'endpoint_failing' | 'audience_failing' | 'audience_late';
  /** Null: of the installation. */
  readonly projectId: string | null;
  readonly id: string;
  readonly name: string;
  /** Attempts of an endpoint that failed in turn; 0 where it was stopped by the answer 410. */
  readonly failures: number;
}

const MOST = 20;

/** @param projectId Null for all projects. At most 20, webhooks first. */
export async function findUnwell(database: Queryable, projectId: string | null): Promise<readonly Unwell[]> {
  const rows = await database.query<UnwellRow>(UNWELL, [projectId]);
  return rows.map(({ project_id: project, ...row }) => ({ ...row, projectId: project }));
}

type UnwellRow = Omit<Unwell, 'projectId'> & { readonly project_id: string | null };

/** One that is due is evaluated within a second. */
const OVERDUE_MS = 60_000;

// A URL is named by its host alone: the rest may hold a secret. Nobody is at fault while analytics reads lost messages again.
const UNWELL = `
  select * from (
    select 'endpoint_failing' as code, project_id, id, failures,
           coalesce(description, substring(url from '^\\w+://(?:[^/?#]*@)?([^/?#]+)'), url) as name
    from endpoints
    where disabled = 'gone' or (disabled is null and failures > 0)
    union all
    select case when failure is null then 'audience_late' else 'audience_failing' end, project_id, id, 0, name
    from audiences
    where deleted_at_ms is null and refresh_ms is not null and failure is null
          and evaluated_at / 1000 + refresh_ms + ${OVERDUE_MS} < ${NOW_MS}
       or deleted_at_ms is null and failure <> 'WAITING_FOR_ANALYTICS'
  ) as unwell
  where $1::text is null or project_id = $1
  order by code desc, name
  limit ${MOST}`;
