import { ApiError, ask, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { ImportFile } from '../../api/types.ts';

/** Below what proxies take where nobody has changed that: 1 MiB. */
const PART_BYTES = 1_000_000;
const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/**
 * Sends a file in parts. A part that did not arrive is sent again.
 *
 * @param onProgress With the bytes that have arrived.
 * @throws ApiError; the reason of the signal.
 */
export async function uploadFile(
  file: File,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<ImportFile> {
  const query = { name: file.name.slice(-255) };
  const first = operation('POST /v1/admin/imports/files', { query, body: file.slice(0, PART_BYTES) });
  let uploaded = await ask({ ...first, signal });
  for (let attempt = 1; ;) {
    const offset = countOf(uploaded.bytes);
    onProgress(offset);
    if (offset >= file.size) return uploaded;
    const part = operation('PATCH /v1/admin/imports/files/{id}', {
      path: { id: uploaded.id },
      query: { offset },
      body: file.slice(offset, offset + PART_BYTES),
    });
    try {
      uploaded = await ask({ ...part, signal });
      attempt = 1;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0 || attempt >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * PAUSE_MS));
      attempt += 1;
    }
  }
}
