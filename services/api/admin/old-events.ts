import type { Route } from '../../http/route.ts';
import { microsAt } from '../../messages/timestamp.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { looksBefore } from '../../questions/definition/looks-before.ts';
import { readSaved } from '../../questions/saved/references.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import { beginningOfDay, monthsOf } from '../../stores/projects/kept-events.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { route } from '../input.ts';
import { ADMIN } from './answers.ts';

export interface OldEventsParts extends Pick<AdminPorts, 'projects' | 'oldEvents'> {
  readonly saved: SqlAudienceStore;
}

const NO_NAMES = new Map<string, string>();

/** The newest of them. */
const MOST_AUDIENCES = 1_000;

export function oldEventsRoute({ projects, oldEvents, saved }: OldEventsParts): Route {
  return route('GET /v1/admin/projects/{id}/old-events', ADMIN, async (_, { path, query: { keep_events: keep } }) => {
    const project = await findProject(projects, path.id);
    const found = await oldEvents.of(project, monthsOf(keep));
    const before = beginningOfDay(found.first_day, project.timezone);
    const now = microsAt(Date.now());
    const audiences: { readonly id: string; readonly name: string }[] = [];
    for (const audience of await saved.list(project.id, MOST_AUDIENCES)) {
      const read = readSaved(audience, project, NO_NAMES);
      if (read.ok && looksBefore(read.definition, '', before, now).length > 0)
        audiences.push({ id: audience.id, name: audience.name });
    }
    return { status: 200, body: JSON.stringify({ ...found, audiences }) };
  });
}
