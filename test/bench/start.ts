/** How long until the service is ready, on a new data folder and on one that is there, and what it holds idle. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ServiceProcess } from '../support/service/service.ts';
import { type Figures, median } from './figures.ts';
import { memoryOf } from './memory.ts';

const ROUNDS = 3;

export async function benchStart(figures: Figures): Promise<void> {
  const cold: number[] = [];
  const warm: number[] = [];
  const stop: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'));
    cold.push(await timed(folder, async () => undefined, stop));
    warm.push(
      await timed(
        folder,
        async (service) => {
          await setTimeout(5000);
          idle.push((await memoryOf(service.pid)).residentMiB);
        },
        stop,
      ),
    );
    await rm(folder, { recursive: true });
  }
  figures.add('start', {
    'first start, new data folder': [median(cold), 'ms'],
    'warm start': [median(warm), 'ms'],
    'stop on SIGTERM': [median(stop), 'ms'],
    'idle resident memory': [median(idle), 'MiB'],
  });
}

async function timed(
  folder: string,
  use: (service: ServiceProcess) => Promise<void>,
  stopMs: number[],
): Promise<number> {
  const started = performance.now();
  const service = await ServiceProcess.start(folder);
  const ready = performance.now() - started;
  await use(service);
  const stopping = performance.now();
  await service.stop();
  stopMs.push(performance.now() - stopping);
  return ready;
}
