import { type Refusal, refusalOf, type RefusalKind, renderRefusal } from '../../http/problems.ts';
import type { CommandFailure } from '../../runtime/command.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';

/** Operators are told what happened, and the code of the error. */
export function refusalOfFailure({ code, message }: CommandFailure, method: string | undefined): Refusal {
  if (code === undefined) return { refused: 'internal', detail: message };
  const kind = kindOf(code, method) ?? refusalOf(new TidemarkError(code, message)).refused;
  return { refused: kind, detail: message, errorCode: code };
}

/** The same of what was thrown. */
export function refusalForOperators(error: unknown, method: string | undefined): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  return refusalOfFailure(error instanceof TidemarkError ? error : { message }, method);
}

/** The kind of codes that say something else to operators than to others. */
function kindOf(code: ErrorCode, method: string | undefined): RefusalKind | undefined {
  if (code === 'COMMAND_INVALID')
    return method === undefined || method === 'GET' ? 'invalid-parameter' : 'invalid-body';
  return code === 'MESSAGE_UNDECODABLE' ? 'conflict' : undefined;
}

/** A failure as a problem document. */
export function problemText(failure: CommandFailure): string {
  return renderRefusal(refusalOfFailure(failure, 'POST'), 'problem').body;
}
