/**
 * How fast the log is read again beside a service that has nothing else to do, by the wall clock: what `tidemark replay`
 * takes for each kind, and how much of it is reading. To be compared with what each reader does alone (readers.ts).
 * `BENCH_REPLAY_MESSAGES` (1,000,000), `BENCH_REPLAY_PER_USER` (`20 2`), `BENCH_REPLAY_KINDS` (`profiles analytics`).
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openEventLog } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import { TOPICS } from '../../services/messages/message.ts';
import type { BuiltGeneration, PlannedReplay } from '../../services/operations/replay/replay-commands.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';
import { ServiceProcess } from '../support/service/service.ts';
import type { Figures } from './figures.ts';
import type { Form, Installation } from './forms.ts';
import { fill } from './history.ts';
import { hasRead } from './lag.ts';
import { memoryOf, MemoryPeak } from './memory.ts';

const run = promisify(execFile);
/** Enough that the seconds until the readers see the new generation hardly count. */
const COUNT = Number(process.env['BENCH_REPLAY_MESSAGES'] ?? 1_000_000);
/** Messages of each user. */
const PER_USER = listOf('BENCH_REPLAY_PER_USER', '20 2').map(Number);
/** Until a process that has just started is idle. */
const SETTLED_MS = 5_000;
const KINDS = listOf('BENCH_REPLAY_KINDS', 'profiles analytics') as readonly Kind[];

type Kind = 'profiles' | 'analytics';

function listOf(setting: string, otherwise: string): readonly string[] {
  return (process.env[setting] ?? otherwise).split(' ');
}

export async function benchReplay(figures: Figures, form: Form): Promise<void> {
  for (const perUser of PER_USER) {
    await form.install((installation) => benchHistory(figures, form.title, installation, perUser));
  }
}

async function benchHistory(figures: Figures, title: string, installation: Installation, perUser: number) {
  const { folder } = installation;
  // The log is there before the database, which is what a start otherwise refuses.
  const settings: Installation['settings'] = { ...installation.settings, RECOVER_PROJECTS: 'on' };
  const log = await openEventLog(settings.EVENT_LOG_URL, { topics: TOPICS, partitions: 4 });
  const encoder = new Codec(await openSchemaIds(settings['SCHEMA_REGISTRY_URL']));
  await fill(log, { count: COUNT, users: COUNT / perUser, encoder });
  await log.close();
  const started = performance.now();
  let service = await ServiceProcess.start(folder, settings);
  try {
    const name = (what: string): string => `${title}${what}, ${perUser} messages a user`;
    await hasRead(service, 'projector|import-projector');
    // From the start of the process, while the sink reads too.
    figures.add(name('projector behind'), { seconds: [(performance.now() - started) / 1_000, 's'] });
    await hasRead(service, 'projector|sink');
    for (const kind of KINDS) {
      // A process that has read before has much of the memory already.
      await service.stop();
      service = await ServiceProcess.start(folder, settings);
      await delay(SETTLED_MS);
      await withMemory(figures, name(`replay ${kind}`), service.pid, () =>
        measure(figures, name(`replay ${kind}`), kind, installation),
      );
    }
  } finally {
    await service.stop();
  }
}

async function withMemory(figures: Figures, name: string, pid: number, run: () => Promise<void>): Promise<void> {
  const idle = await memoryOf(pid);
  const memory = new MemoryPeak(pid);
  try {
    await run();
    const peak = await memory.take();
    // Mapped files are the system's cache, which it takes back.
    figures.add(name, { 'anonymous memory above idle': [peak.anonymousMiB - idle.anonymousMiB, 'MiB'] });
  } finally {
    memory.stop();
  }
}

async function measure(figures: Figures, name: string, kind: Kind, installation: Installation): Promise<void> {
  const started = performance.now();
  const built = await tidemark<BuiltGeneration>(installation, kind, '--yes');
  const seconds = (performance.now() - started) / 1_000;
  if (!built.same || built.messages !== COUNT) throw new Error(`${kind}: ${JSON.stringify(built)}`);
  // The rate of the replay just made, from its beginning until it had caught up.
  const { per_second: rate, basis } = await tidemark<PlannedReplay>(installation, kind, '--dry-run');
  if (basis !== 'last replay') throw new Error(`the rate is ${basis}`);
  figures.add(name, {
    'messages/s': [rate, '1/s'],
    'with comparison and swap': [seconds, 's'],
  });
}

async function tidemark<T>({ folder, settings }: Installation, kind: string, option: string): Promise<T> {
  const program = [join(import.meta.dirname, '../../services/cli/tidemark.ts'), 'replay', kind, option, '--json'];
  const { stdout } = await run(process.execPath, program, {
    env: { PATH: process.env['PATH'], ...settings, DATA_DIR: folder },
  });
  return JSON.parse(stdout) as T;
}
