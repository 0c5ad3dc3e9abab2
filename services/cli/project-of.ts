import type { ShownProject } from '../projects/project-commands.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

/** The project of this id or name; the only one where none is named. @throws TidemarkError `COMMAND_INVALID`. */
export async function projectOf(context: CliContext, wanted: string | undefined): Promise<ShownProject> {
  const projects = await carryOut(context, 'project list', {});
  const found = wanted === undefined ? projects : projects.filter(({ id, name }) => id === wanted || name === wanted);
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  const known = projects.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = found.length === 0 ? 'There is no such project' : 'Say which project by --project ID';
  throw new TidemarkError('COMMAND_INVALID', `${message}: there are ${known === '' ? 'none' : known}.`);
}
