import { onTestFinished } from 'vitest';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';

/** A folder for servers of one test's own, deleted when the test ends; also when its process is killed. */
export async function temporaryServersFolder(): Promise<string> {
  const folder = await serversFolder();
  onTestFinished(() => removeServersFolder(folder));
  return folder;
}
