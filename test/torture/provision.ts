import { carryOut } from '../../services/cli/client/carry-out.ts';
import { READ_KEY, WRITE_KEY } from '../support/service.ts';
import type { TestedProject } from './project.ts';
import type { Scene } from './scene.ts';

const TIMEZONES: readonly string[] = ['Europe/Berlin', 'Asia/Kolkata'];

/** The first project, and one of each timezone, made as the command line makes them, while the service runs. */
export async function provision(
  { environment: env }: Pick<Scene, 'environment'>,
  timezones = TIMEZONES,
): Promise<readonly TestedProject[]> {
  const context = { env, err: (text: string) => void process.stderr.write(text) };
  const { projects: made } = await carryOut(context, 'project list', {});
  const first = made.at(-1);
  if (first === undefined) throw new Error('the service made no project');
  const projects: TestedProject[] = [{ ...first, writeKey: WRITE_KEY, readKey: READ_KEY }];
  for (const timezone of timezones) {
    const { id: project } = await carryOut(context, 'project create', { name: `In ${timezone}`, timezone });
    const { key: writeKey } = await carryOut(context, 'key create', { project, scopes: ['write'] });
    const { key: readKey } = await carryOut(context, 'key create', { project, scopes: ['read', 'audiences'] });
    projects.push({ id: project, timezone, writeKey, readKey });
  }
  return projects;
}
