/**
 * How fast the log is read again beside a service that has nothing else to do, by the wall clock: what `tidemark replay`
 * takes for each kind, and how much of it is reading. To be compared with what each reader does alone (readers.ts).
 * `BENCH_REPLAY_MESSAGES` (1,000,000).
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openEventLog } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import { TOPICS } from '../../services/messages/message.ts';
import type { BuiltGeneration, PlannedReplay } from '../../services/maintenance/replay/replay-commands.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';
import { ServiceProcess } from '../support/service.ts';
import type { Figures } from './figures.ts';
import type { Form, Installation } from './forms.ts';
import { fill } from './history.ts';
import { hasRead } from './lag.ts';

const run = promisify(execFile);
/** So many that the seconds until the readers see the new generation are few among all. */
const COUNT = Number(process.env['BENCH_REPLAY_MESSAGES'] ?? 1_000_000);
const KINDS = ['profiles', 'analytics'] as const;

export async function benchReplay(figures: Figures, form: Form): Promise<void> {
  await form.install(async (installation) => {
    const { folder, settings } = installation;
    const log = await openEventLog(settings.EVENT_LOG_URL, { topics: TOPICS, partitions: 4 });
    const encoder = new Codec(await openSchemaIds(settings['SCHEMA_REGISTRY_URL']));
    await fill(log, { count: COUNT, encoder });
    await log.close();
    const service = await ServiceProcess.start(folder, settings);
    try {
      await hasRead(service, 'projector|sink');
      for (const kind of KINDS) await measure(figures, `${form.title}replay ${kind}`, kind, installation);
    } finally {
      await service.stop();
    }
  });
}

async function measure(
  figures: Figures,
  name: string,
  kind: (typeof KINDS)[number],
  installation: Installation,
): Promise<void> {
  const started = performance.now();
  const built = await tidemark<BuiltGeneration>(installation, kind, '--yes');
  const seconds = (performance.now() - started) / 1_000;
  if (!built.same || built.messages !== COUNT) throw new Error(`${kind}: ${JSON.stringify(built)}`);
  // Of the replay just made, from when it was begun until it had caught up.
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
