/** Counts of audiences that somebody asks for on this page, also from the builder, which leaves before they are there. */
import { signal } from '@preact/signals';
import { ask, operation } from '../../api/client.ts';

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
