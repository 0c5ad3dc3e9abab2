import { PROJECT_PARAMETER } from './access/named-project.ts';
import type { Refusal } from './problems.ts';

/**
 * Refuses a parameter that the endpoint does not have: a misspelt filter must not answer with everything. `project` is known
 * everywhere.
 */
export function refuseUnknown(query: URLSearchParams, known: readonly string[]): Refusal | undefined {
  const unknown = [...query.keys()].find((name) => name !== PROJECT_PARAMETER && !known.includes(name));
  if (unknown === undefined) return undefined;
  const quoted = JSON.stringify(unknown.slice(0, 64));
  const detail = `There is no parameter ${quoted} here. Known are: ${known.join(', ') || 'none'}.`;
  return { refused: 'invalid-parameter', detail };
}
