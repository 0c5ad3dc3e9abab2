/** How requests of operators are read. */
import type { Body, OperationName } from '../../../schemas/operations.ts';
import type { Refusal } from '../../http/problems.ts';
import { readBody } from '../input.ts';
import type { Checked } from '../query.ts';
import type { AdminCall } from './answers.ts';

/** The body of an operator's request. */
export function readMembers<Name extends OperationName>(name: Name, call: AdminCall): Checked<Body<Name>> {
  const read = readBody(name, call);
  if (read.ok) return { ok: true, value: read.value.body };
  return { ok: false, refusal: { ...read.refusal, errorCode: 'COMMAND_INVALID' } };
}

export function notFound(detail: string, errorCode?: Refusal['errorCode']): Refusal {
  return { refused: 'not-found', detail, ...(errorCode && { errorCode }) };
}
