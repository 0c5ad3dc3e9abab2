/**
 * How readers share the work: a log that is there, read by one process of the role and by two, in turn.
 * `BENCH_READERS_MESSAGES` (300,000).
 */
import { openEventLog } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { type Figures, median, ROUNDS } from './figures.ts';
import type { Form, Installation } from './forms.ts';
import { fill, MESSAGES } from './history.ts';
import { hasRead } from './lag.ts';

const ROLES = { projector: 'projector|import-projector', sink: 'sink|import-sink' } as const;
type Role = keyof typeof ROLES;

const PROCESSES = [1, 2] as const;

/** What processes expect that are told nothing else. */
const PARTITIONS = 4;

/** Once they are read, every process has joined and is compiled. */
const WARM_UP_MESSAGES = 20_000;

export async function benchReaderProcesses(figures: Figures, form: Form): Promise<void> {
  for (const role of Object.keys(ROLES) as Role[]) {
    const rates = PROCESSES.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, processes] of PROCESSES.entries()) {
        rates[index]?.push(await form.install((installation) => rateOf(installation, role, processes)));
      }
    }
    for (const [index, processes] of PROCESSES.entries()) {
      const name = `${form.title}${processes} × role ${role}`;
      figures.add(name, { 'messages/s, median': [median(rates[index] ?? []), '1/s'] });
    }
  }
}

async function rateOf({ folder, settings }: Installation, role: Role, processes: number): Promise<number> {
  const log = await openEventLog(settings.EVENT_LOG_URL, { topics: TOPICS, partitions: PARTITIONS });
  const encoder = new Codec(await openSchemaIds(settings['SCHEMA_REGISTRY_URL']));
  const services = await Promise.all(
    Array.from({ length: processes }, (_, index) => ServiceProcess.start(`${folder}/${index}`, settings, role)),
  );
  try {
    await fill(log, { count: WARM_UP_MESSAGES, encoder });
    await allHaveRead(services, role);
    // Stopped, not ended: each keeps its partitions, and nothing is read while the log is filled.
    for (const { pid } of services) process.kill(pid, 'SIGSTOP');
    await fill(log, { count: MESSAGES, encoder });
    const started = performance.now();
    for (const { pid } of services) process.kill(pid, 'SIGCONT');
    await allHaveRead(services, role);
    return MESSAGES / ((performance.now() - started) / 1_000);
  } finally {
    await log.close();
    for (const { pid } of services) process.kill(pid, 'SIGCONT');
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function allHaveRead(services: readonly ServiceProcess[], role: Role): Promise<void> {
  await Promise.all(services.map((service) => hasRead(service, ROLES[role])));
}
