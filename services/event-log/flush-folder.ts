import { open } from 'node:fs/promises';

/** Flushes a folder's entries, so that after a power cut a file whose content is safe still has its name. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
