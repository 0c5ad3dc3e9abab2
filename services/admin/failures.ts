import { type Refusal, refusalOf, renderRefusal } from '../http/problems.ts';
import type { CommandFailure } from '../runtime/command.ts';
import { TidemarkError } from '../runtime/errors.ts';

/** Operators are told what happened, and the code of the error. */
export function refusalOfFailure({ code, message }: CommandFailure, method: string | undefined): Refusal {
  if (code === undefined) return { refused: 'internal', detail: message };
  const kind = code === 'COMMAND_INVALID' ? invalidKind(method) : refusalOf(new TidemarkError(code, message)).refused;
  return { refused: kind, detail: message, errorCode: code };
}

function invalidKind(method: string | undefined): Refusal['refused'] {
  return method === undefined || method === 'GET' ? 'invalid-parameter' : 'invalid-body';
}

/** A failure as a problem document. */
export function problemText(failure: CommandFailure): string {
  return renderRefusal(refusalOfFailure(failure, 'POST'), 'problem').body;
}
