import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { operation } from '../../../schemas/operations.ts';

/**
 * Whether anything has ever been recorded in this project; `unknown` until the service has said. What a page of an empty
 * project says stays there when its first event comes, until the page is opened again.
 */
export function useHasData(): 'unknown' | 'yes' | 'no' {
  const [hasData, setHasData] = useState<'unknown' | 'yes' | 'no'>('unknown');
  useEffect(() => {
    const controller = new AbortController();
    ask({ ...operation('GET /v1/users', { query: { prefix: '', limit: 1 } }), signal: controller.signal }).then(
      ({ users }) => setHasData(users.length > 0 ? 'yes' : 'no'),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setHasData('yes');
      },
    );
    return () => controller.abort();
  }, []);
  return hasData;
}
