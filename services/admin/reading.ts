/** How requests of operators are read. */
import type { Refusal } from '../http/problems.ts';
import { parseBody } from '../messages/json.ts';
import { type Checked, refuseBody, refuseParameter } from '../query-api/query.ts';
import type { AdminCall } from './answers.ts';

export type Members = Readonly<Record<string, unknown>>;

/** The members of the body, none of which is unknown. */
export function readMembers(call: Pick<AdminCall, 'text'>, known: readonly string[]): Checked<Members> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return refuseBody(parsed.problems);
  const { plain } = parsed.value;
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return refuseBody([{ path: '', message: 'is not an object' }]);
  }
  const unknown = Object.keys(plain).filter((name) => !known.includes(name));
  if (unknown.length === 0) return { ok: true, value: plain as Members };
  const message = `is unknown here; known are: ${known.join(', ')}`;
  return refuseBody(unknown.slice(0, 20).map((name) => ({ path: `/${name.slice(0, 64)}`, message })));
}

/** Parameters that are texts, those that were given. */
export function readTexts(query: URLSearchParams, names: readonly string[]): Checked<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const values = query.getAll(name);
    if (values.length > 1) return refuseParameter(name, 'may be given once only');
    if (values[0] !== undefined) texts[name] = values[0];
  }
  return { ok: true, value: texts };
}

/** The parameter `dry_run`; false where it is left out. */
export function readDryRun(query: URLSearchParams): boolean | Refusal {
  const text = query.get('dry_run') ?? 'false';
  return text === 'true' || text === 'false' ? text === 'true' : refuseParameter('dry_run', 'is true or false').refusal;
}

export function notFound(detail: string, errorCode?: Refusal['errorCode']): Refusal {
  return { refused: 'not-found', detail, ...(errorCode && { errorCode }) };
}
