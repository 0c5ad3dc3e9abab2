import { ApiError, ask, type Operation } from '../../api/client.ts';
import type { Raw, SavedAudience } from '../../api/types.ts';

/**
 * Changes or deletes an audience, only as long as nobody else has changed what the page shows.
 *
 * @throws ApiError 412 where somebody has.
 */
export async function changeAudience<T>({ revision }: SavedAudience, change: Operation<T>): Promise<Raw<T>> {
  try {
    return await ask({ ...change, headers: { 'If-Match': `"${revision.rawJSON}"` } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    throw new ApiError({ status: 412, code: error.code, title: error.title, message: CHANGED });
  }
}

const CHANGED = 'The audience was changed after you opened this page. Nothing was saved: check it, then try again.';
