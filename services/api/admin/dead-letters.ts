import { SELECTION_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Route } from '../../http/route.ts';
import { encodeReceipt } from '../../messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../messages/receipt/receipt-signer.ts';
import { parseCoordinates } from '../../operations/dead-letters/record-coordinates.ts';
import { orderOf } from '../../operations/dead-letters/settle.ts';
import { route } from '../input.ts';
import { refuseBody } from '../query.ts';
import { ADMIN, answerJob, routeWithBody } from './answers.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import type { Project } from '../../stores/projects/project-store.ts';

type DeadLetterParts = Pick<AdminPorts, 'deadLetters' | 'projects' | 'jobs'>;

export function deadLetterRoutes({ deadLetters, projects, jobs }: DeadLetterParts): Route[] {
  const select = { ...ADMIN, bodyLimitBytes: SELECTION_LIMIT_BYTES };
  return [
    route('GET /v1/admin/dead-letters', ADMIN, async (_, { query }) => {
      return { status: 200, body: JSON.stringify(await deadLetters.list(query)) };
    }),
    route('GET /v1/admin/dead-letters/{id}', ADMIN, async (_, { path }) => {
      return { status: 200, body: await deadLetters.show(path.id) };
    }),
    // `?dry_run=true` answers with whether the stores would take the correction.
    route('POST /v1/admin/dead-letters/{id}/edit', select, async ({ text: record }, { path: { id }, query }) => {
      const result = await deadLetters.edit({ id, record, isDryRun: query.dry_run });
      if ('problems' in result) return refuseBody(result.problems).refusal;
      const { edited, project, changed } = result;
      const receipt = edited.copy === null ? null : receiptOf(edited.copy, await projects.findProject(project));
      const answer = { status: 200, body: JSON.stringify({ ...edited, receipt }) };
      if (edited.dry_run) return answer;
      // Without the values: nothing deletes them from the audit log.
      const after = JSON.stringify({ changed });
      return { ...answer, audit: { action: 'dead-letters.edit', object: edited.id, project, after } };
    }),
    ...(['replay', 'drop'] as const).map((how) =>
      routeWithBody(`POST /v1/admin/dead-letters/${how}`, select, (call, selection) => {
        // Before there is a job that fails.
        orderOf(selection);
        const action = selection.dry_run === true ? undefined : `dead-letters.${how}`;
        return answerJob(jobs, call, { kind: `dead-letters ${how}`, args: selection }, action);
      }),
    ),
  ];
}

/** The receipt of the record that was appended; null where its project was deleted meanwhile. */
function receiptOf(copy: string, project: Project | undefined): string | null {
  const at = parseCoordinates(copy);
  return project === undefined || at === undefined ? null : encodeReceipt(receiptSignerOf(project), Date.now(), [at]);
}
