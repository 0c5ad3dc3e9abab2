/** How projects and people are erased on the stores of a process. */
import { blankerOn } from '../operations/erasure/blank-records.ts';
import { eraseProject } from '../operations/erasure/erase-project.ts';
import { ErasureRequests } from '../operations/erasure/erasure-requests.ts';
import { forgetUsers } from '../operations/erasure/forget-users.ts';
import type { JobRunner } from '../operations/jobs/job-runner.ts';
import type { JobKind } from '../operations/jobs/job.ts';
import type { Command, CommandCall } from '../runtime/command.ts';
import type { Logger } from '../runtime/logger.ts';
import { noteForgotten } from '../webhooks/notices.ts';
import { ALL_STORES } from './lazy-stores.ts';
import type { OpenedStores } from './open-stores.ts';

type OpenAll = (names: typeof ALL_STORES, call?: Pick<CommandCall, 'signal'>) => Promise<OpenedStores>;

/** The jobs that erase. @param importsFolder That of imports over HTTP. */
export function erasureCommands(
  opened: OpenAll,
  importsFolder: string,
): Readonly<Record<'project erase' | 'users erase', Command>> {
  return {
    'project erase': async (args, call) => eraseProject(await opened(ALL_STORES, call), args, call),
    'users erase': async (_, call) => {
      const stores = await opened(ALL_STORES, call);
      const blank = blankerOn(stores);
      return forgetUsers({ ...stores, importsFolder, ...(blank && { blank }) }, call);
    },
  } satisfies Partial<Record<JobKind, Command>>;
}

export function erasureRequestsOn(opened: OpenAll, jobs: JobRunner, logger: Logger): ErasureRequests {
  return new ErasureRequests({
    stores: () => opened(ALL_STORES),
    tell: (transaction, projectId, people) =>
      noteForgotten(
        transaction,
        projectId,
        people.map(({ userKey, userId, anonymousId }) => {
          return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
        }),
      ),
    jobs,
    stopping: jobs.stopping,
    logger,
  });
}
