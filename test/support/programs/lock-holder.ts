import { hasCode } from '../../../services/runtime/errors.ts';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';

/** A program of its own: tries to lock the folder, prints `held` or the error's code, and keeps the lock until it is killed. */
const [folder = '', drop] = process.argv.slice(2);
try {
  lockFolder(folder);
  if (drop === 'collect') globalThis.gc?.();
  process.stdout.write('held\n');
  setInterval(() => undefined, 1_000);
} catch (error) {
  process.stdout.write(hasCode(error, 'FOLDER_IN_USE') ? 'FOLDER_IN_USE\n' : `${String(error)}\n`);
}
