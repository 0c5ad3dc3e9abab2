/** Where a service answers HTTP on its own machine: a Unix socket in its data folder. */
import { join } from 'node:path';
import { TidemarkError } from './errors.ts';

/** The socket of the service whose data folder this is. */
export function controlSocketPath(dataDir: string): string {
  return join(dataDir, 'control.sock');
}

// What `sockaddr_un` holds, less the closing NUL. Past it a path is cut off or refused obscurely.
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** @throws TidemarkError `CONFIG_INVALID` where the path is longer than that of a socket can be. */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_PATH_BYTES) return;
  throw new TidemarkError(
    'CONFIG_INVALID',
    `The path of the control socket is ${bytes} bytes long and may be ${MAX_PATH_BYTES}: choose a shorter DATA_DIR than that of ${path}.`,
  );
}
