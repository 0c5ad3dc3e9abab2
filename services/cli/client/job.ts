import { type Answer, operation, type OperationName, type Request } from '../../../schemas/operations.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';
import type { ServiceRequest } from './ask.ts';

/** What the document says that a job comes to. */
type ResultIn<Name extends OperationName> = NonNullable<Extract<Answer<Name>, { readonly result: unknown }>['result']>;

/** What jobs come to: the last line of the stream of what the document answers with the job. */
export interface JobResults {
  readonly 'POST /v1/admin/dead-letters/replay': ResultIn<'POST /v1/admin/dead-letters/replay'>;
  readonly 'POST /v1/admin/dead-letters/drop': ResultIn<'POST /v1/admin/dead-letters/drop'>;
  readonly 'POST /v1/admin/generations': ResultIn<'POST /v1/admin/generations/{kind}/{number}/compare'>;
  readonly 'POST /v1/admin/generations/{kind}/{number}/swap': unknown;
  readonly 'POST /v1/admin/generations/{kind}/{number}/rollback': { readonly from: number; readonly to: number };
  readonly 'POST /v1/admin/generations/{kind}/{number}/drop': unknown;
  readonly 'POST /v1/admin/imports': ResultIn<'POST /v1/admin/imports'>;
  readonly 'POST /v1/admin/verifications': VerificationReport;
  readonly 'POST /v1/admin/backups': ResultIn<'POST /v1/admin/backups'>;
  readonly 'DELETE /v1/admin/projects/{id}': unknown;
}

/** An operation whose job is awaited. */
export function job<Name extends keyof JobResults>(
  name: Name,
  ...given: Request<Name>
): ServiceRequest<JobResults[Name]> {
  return { ...operation(name, ...given), streams: true } as ServiceRequest<JobResults[Name]>;
}
