import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../../runtime/errors.ts';
import { expectRoom } from '../../../runtime/free-space.ts';

/**
 * Why the cluster in this folder could not be opened. Postgres in WebAssembly aborts whatever it finds, without a reason:
 * so the reasons that an operator can remove are looked for here.
 */
export function openFailure(cluster: string, cause: unknown): TidemarkError {
  if (cause instanceof TidemarkError) return cause;
  try {
    expectRoom(cluster, 'STORE_UNAVAILABLE');
    checkAccess(cluster);
    for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) checkAccess(join(cluster, name));
  } catch (error) {
    if (error instanceof TidemarkError) return error;
  }
  return new TidemarkError(
    'STORE_DAMAGED',
    `Postgres does not start with what is in ${cluster}: it is damaged, or files of it are missing. Restore its backup. If there is ` +
      'none, keep the folder elsewhere and start once with RECOVER_PROJECTS=on: projects and profiles are made again from the log',
    { cause },
  );
}

/** @throws TidemarkError `CONFIG_INVALID`. */
function checkAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) return;
    const message = `${path} cannot be read and written (${code}): change its owner, its mode or the mount, or set PROFILES_URL to another folder`;
    throw new TidemarkError('CONFIG_INVALID', message, { cause });
  }
}
