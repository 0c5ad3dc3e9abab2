import { ControlServer } from '../../services/runtime/control/server.ts';
import { controlSocketPath } from '../../services/runtime/control/socket.ts';
import { lockFolder } from '../../services/runtime/folder-lock.ts';

/** A program of its own: locks the folder, serves `ping` on its control socket and prints that it does, until it is killed. */
const [folder = ''] = process.argv.slice(2);
lockFolder(folder);
const quiet = { warn: () => undefined };
await new ControlServer(controlSocketPath(folder), { ping: async () => process.pid }, quiet).start();
process.stdout.write('serving\n');
