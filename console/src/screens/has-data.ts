import { operation } from '../../../schemas/operations.ts';
import { useAnswer } from '../parts/loading/use-load.ts';

/**
 * Whether anything has ever been recorded in this project; `unknown` until the service has said. What a page of an empty
 * project says stays there when its first event comes, until the page is opened again.
 */
export function useHasData(): 'unknown' | 'yes' | 'no' {
  const { value, error } = useAnswer(operation('GET /v1/users', { query: { prefix: '', limit: 1 } }));
  if (value === undefined) return error === undefined ? 'unknown' : 'yes';
  return value.users.length === 0 ? 'no' : 'yes';
}
