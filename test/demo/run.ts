/**
 * `npm run demo`: fills a fresh service with a shop of 5,000 users and 30 days of events, for whoever wants to look around.
 * It starts a service of its own with its data below `data/demo` and backups beside it, unless TIDEMARK_URL, WRITE_KEY and
 * READ_KEY name one.
 */
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { ADMIN_KEY, ServiceProcess, READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { fillWithShop, type DemoTarget } from './fill.ts';

const { TIDEMARK_URL: url, WRITE_KEY: writeKey = WRITE_KEY, READ_KEY: readKey = READ_KEY } = process.env;
const { PORT = '8080', DATA_DIR: dataDir = 'data/demo', SEED = '1', USERS = '5000' } = process.env;
const { BACKUP_DIR: backupDir = `${dataDir}-backups` } = process.env;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function fill(target: DemoTarget): Promise<void> {
  const begun = performance.now();
  print('Sends 5,000 users and what they did in the last 30 days …');
  const { messages } = await fillWithShop(target, { users: Number(USERS), seed: Number(SEED), nowMs: Date.now() });
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  print(`${messages.toLocaleString('en')} messages and 3 audiences are there, after ${seconds} s.`);
  print(`The console is at ${target.url}/console/ — sign in with the key ${target.readKey}`);
}

if (url === undefined) {
  const isNew = !existsSync(dataDir);
  const service = await ServiceProcess.start(dataDir, { PORT, BACKUP_DIR: backupDir });
  const target = { url: service.url, writeKey: WRITE_KEY, readKey: READ_KEY };
  if (isNew) await fill(target);
  else print(`The console is at ${target.url}/console/ — sign in with the key ${READ_KEY}`);
  print(`What operators do needs the admin key ${ADMIN_KEY}`);
  print(`Ctrl-C stops the service; its data stays in ${dataDir}, its backups in ${backupDir}.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await service.stop();
} else {
  await fill({ url, writeKey, readKey });
}
