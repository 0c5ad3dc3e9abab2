import type { SavedAudience } from '../../api/audiences.ts';
import { ApiError, type Request, send } from '../../api/client.ts';

/**
 * Changes or deletes an audience, only as long as nobody else has changed what the page shows.
 *
 * @throws ApiError 412 where somebody has.
 */
export async function changeAudience(
  { id, revision }: SavedAudience,
  change: Pick<Request, 'method' | 'body'>,
): Promise<Response> {
  try {
    return await send({
      path: `v1/audiences/${id}`,
      headers: { 'If-Match': `"${revision.rawJSON}"` },
      ...change,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    throw new ApiError({ status: 412, code: error.code, title: 'Somebody else was faster', message: CHANGED });
  }
}

const CHANGED = 'The audience was changed since this page was opened. Nothing was done: look at it again, then decide.';
