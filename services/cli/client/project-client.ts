import { commandInvalid } from '../../runtime/command.ts';
import type { CliContext } from '../context.ts';
import { onlyProject } from '../project.ts';
import { listProjects } from './carry-out.ts';
import { howToMake, type ServiceClient } from './service-client.ts';
import { clientOf, keyOf } from './service-options.ts';
import { clientOfRunning } from './with-service.ts';

/**
 * For commands that read a project: by the key that is given; without one by the service on this machine, which takes
 * whoever may open its socket for an admin. The project is what requests must name: undefined where the key does.
 *
 * @throws TidemarkError `COMMAND_INVALID` where no key is given and no service runs here, or the project is not clear.
 */
export async function projectClientOf(
  context: CliContext,
): Promise<{ readonly client: ServiceClient; readonly project: string | undefined }> {
  const { url, project } = context.service ?? {};
  if (keyOf(context) !== undefined) return { client: clientOf(context), project };
  const local = url === undefined ? await clientOfRunning(context) : undefined;
  if (local === undefined) {
    throw commandInvalid(`This needs a key with the scope read, by --key or TIDEMARK_KEY. ${howToMake('read')}`);
  }
  if (project !== undefined) return { client: local, project };
  const { projects } = await listProjects({ ...context, client: local });
  return { client: local, project: onlyProject(projects).id };
}
