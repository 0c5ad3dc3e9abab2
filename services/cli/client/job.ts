import { type Answer, operation, type Request } from '../../../schemas/operations.ts';
import type { SettleResult } from '../../operations/dead-letters/settle.ts';
import type { Erasure } from '../../operations/erasure/erase-project.ts';
import type { BuiltGeneration, Swapped } from '../../operations/replay/replay-commands.ts';
import type { VerificationReport } from '../../operations/verify/report.ts';
import type { ServiceRequest } from './ask.ts';

/** What jobs come to: the last line of the stream of what the document answers with the job. */
interface JobResults {
  readonly 'POST /v1/admin/dead-letters/replay': SettleResult;
  readonly 'POST /v1/admin/dead-letters/drop': SettleResult;
  readonly 'POST /v1/admin/generations': BuiltGeneration;
  readonly 'POST /v1/admin/generations/{kind}/{number}/swap': Swapped;
  readonly 'POST /v1/admin/generations/{kind}/{number}/rollback': Swapped;
  readonly 'POST /v1/admin/generations/{kind}/{number}/drop': Pick<BuiltGeneration, 'kind' | 'number'>;
  readonly 'POST /v1/admin/verifications': VerificationReport;
  /** A project that was empty is deleted at once. */
  readonly 'DELETE /v1/admin/projects/{id}': Erasure | Answer<'DELETE /v1/admin/projects/{id}'>;
}

/** An operation whose job is awaited. */
export function job<Name extends keyof JobResults>(
  name: Name,
  ...given: Request<Name>
): ServiceRequest<JobResults[Name]> {
  return { ...operation(name, ...given), streams: true } as ServiceRequest<JobResults[Name]>;
}
