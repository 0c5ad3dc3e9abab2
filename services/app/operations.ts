/** What operators have done, with the stores that each needs. */
import { listDeadLetters, showDeadLetter } from '../operations/dead-letters/dead-letter-commands.ts';
import { Editor } from '../operations/dead-letters/editor.ts';
import { countWaiting } from '../operations/dead-letters/waiting-dead-letters.ts';
import { ErasureRequests } from '../operations/erasure/erasure-requests.ts';
import { oldEventsOf } from '../operations/erasure/old-events.ts';
import { checkImport, previewImport } from '../operations/import/import-commands.ts';
import { JobRunner } from '../operations/jobs/job-runner.ts';
import { SqlJobStore } from '../operations/jobs/sql-job-store.ts';
import type { Operations } from '../operations/ports.ts';
import { standInBy } from '../runtime/stand-in.ts';
import type { Database } from '../stores/database/database.ts';
import { noteForgotten } from '../webhooks/notices.ts';
import { importPartsOf, jobsOn, type OpenStores, replaysOn, type Surroundings } from './jobs.ts';
import { ALL_STORES, WITHOUT_ANALYTICS } from './lazy-stores.ts';

/** The stores of an operation are opened when it is carried out, and only those that it needs. */
export function operationsOn(
  surroundings: Surroundings,
  database: Database,
  open: OpenStores,
): Operations & { readonly jobs: JobRunner } {
  const opened: OpenStores = async (names, call) => {
    const stores = await open(names);
    call?.signal.throwIfAborted();
    return stores;
  };
  const { logger } = surroundings;
  const commands = jobsOn(surroundings, opened);
  const jobs = new JobRunner({ commands, jobs: new SqlJobStore(database), logger });
  const until = { signal: jobs.stopping };
  return {
    jobs,
    erasures: new ErasureRequests({
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
    }),
    deadLetters: {
      list: async (selection) => listDeadLetters(await opened(WITHOUT_ANALYTICS, until), selection, until),
      show: async (id) => JSON.stringify(await showDeadLetter(await opened(WITHOUT_ANALYTICS, until), id, until)),
      countWaiting: async () => countWaiting(await opened(WITHOUT_ANALYTICS, until), until.signal),
      edit: async (edit) => new Editor(await opened(ALL_STORES, until)).edit(edit, until),
    },
    oldEvents: { of: async (project, months) => oldEventsOf(await opened(ALL_STORES, until), project, months) },
    generations: standInBy<Operations['generations']>(async () => replaysOn(surroundings, await opened(ALL_STORES))),
    imports: {
      check: async (request) => checkImport(importPartsOf(surroundings, await opened(['database'])), request),
      preview: async (request) =>
        previewImport(importPartsOf(surroundings, await opened(['database'])), request, jobs.stopping),
    },
  };
}
