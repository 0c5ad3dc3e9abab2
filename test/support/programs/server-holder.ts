/** Starts a Postgres of its own, says where and who, and waits for its end. */
import { join } from 'node:path';
import { startPostgres } from '../../servers/postgres.ts';
import { serversFolder } from '../../servers/processes/reaped.ts';

const folder = await serversFolder();
const { url } = await startPostgres({ folder: join(folder, 'postgres') });
process.stdout.write(`${folder} ${url}\n`);
setInterval(() => undefined, 60_000);
