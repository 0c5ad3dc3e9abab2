/** Counts of audiences that somebody asks for on this page, also from the builder, which leaves before they are there. */
import { signal } from '@preact/signals';
import { ApiError, ask, operation, type Operation } from '../../api/client.ts';
import type { Raw, SavedAudience } from '../../api/types.ts';

const running = signal<ReadonlySet<string>>(new Set());

/** Whether a count of this audience was asked for here and is not there yet. */
export function isUpdating(id: string): boolean {
  return running.value.has(id);
}

/** Counts it now; why that failed is in the audience afterwards, too. @throws ApiError */
export async function updateNow(id: string): Promise<void> {
  running.value = new Set([...running.value, id]);
  try {
    await ask(operation('POST /v1/audiences/{id}/evaluate', { path: { id } }));
  } finally {
    running.value = new Set([...running.value].filter((other) => other !== id));
  }
}

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
