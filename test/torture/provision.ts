import { carryOut, listProjects } from '../../services/cli/client/carry-out.ts';
import { operation } from '../../schemas/operations.ts';
import type { Body } from '../../schemas/operations.ts';
import { READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import type { TestedProject } from './project.ts';
import type { Scene } from './scene.ts';

const NEW_KEY = 'POST /v1/admin/projects/{id}/keys';

const TIMEZONES: readonly string[] = ['Europe/Berlin', 'Asia/Kolkata'];

/** The first project, and one of each timezone, made as the command line makes them, while the service runs. */
export async function provision(
  { environment: env }: Pick<Scene, 'environment'>,
  timezones = TIMEZONES,
): Promise<readonly TestedProject[]> {
  const context = { env, err: (text: string) => void process.stderr.write(text) };
  const { projects: made } = await listProjects(context);
  const first = made.at(-1);
  if (first === undefined) throw new Error('the service made no project');
  const projects: TestedProject[] = [{ ...first, writeKey: WRITE_KEY, readKey: READ_KEY }];
  for (const timezone of timezones) {
    const body = { name: `In ${timezone}`, timezone };
    const { id } = await carryOut(context, operation('POST /v1/admin/projects', { body }));
    const make = (scopes: Body<typeof NEW_KEY>['scopes']) =>
      carryOut(context, operation(NEW_KEY, { path: { id }, body: { scopes } }));
    const { key: writeKey } = await make(['write']);
    const { key: readKey } = await make(['read', 'audiences']);
    projects.push({ id, timezone, writeKey, readKey });
  }
  return projects;
}
