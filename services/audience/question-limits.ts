import type { QueryLimits } from '../stores/analytics/analytics-store.ts';
import type { ProjectLimits } from '../stores/projects/project-store.ts';

/** The limits of a project's questions: its own where it has some, else those of all. */
export function limitsOf(project: ProjectLimits, ofAll: QueryLimits): QueryLimits {
  return {
    maxMs: project.queryMaxMs ?? ofAll.maxMs,
    maxMemoryBytes: project.queryMaxMemoryBytes ?? ofAll.maxMemoryBytes,
    maxRowsRead: project.queryMaxRows ?? ofAll.maxRowsRead,
  };
}
