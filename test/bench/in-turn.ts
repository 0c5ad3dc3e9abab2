/**
 * A service and a bare node:http server under the same load, in turn, seconds at a time: a shared machine that is twice as
 * fast in one moment as in the next would else decide which of them is. Both are warmed up before.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Shape } from './bodies.ts';
import { type Figures, median } from './figures.ts';
import { type Answered, loadShape } from './load.ts';

/** Slices of each server in each round. */
const SLICES = 4;
const SLICE_SECONDS = 3;
/** Before each slice: its connections are made and what the stop has held up is done. */
const LEAD_IN_SECONDS = 1;
/** What is measured is not the compiler, which has its hands in ours for 6 to 8 s. */
const WARM_UP_SECONDS = 8;

/** A process that answers HTTP. */
interface Server {
  readonly url: string;
  readonly pid: number;
}

/** Slice after slice, each of ours beside one of the bare server's. */
export interface Measured {
  readonly ours: Answered[];
  readonly bare: Answered[];
}

/**
 * Adds a round's slices to `measured`. Whichever is not loaded is stopped meanwhile, and takes nothing of the machine; of
 * several processes the first one, which has the readers: the others have nothing to do.
 */
export async function measureInTurn(measured: Measured, shape: Shape, ours: Server, bare: Server): Promise<void> {
  const whileStopped = async ({ pid }: Server, use: () => Promise<void>): Promise<void> => {
    process.kill(pid, 'SIGSTOP');
    try {
      await use();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  };
  const slice = async (server: Server, answers: Answered[]): Promise<void> => {
    await loadShape(shape, server, LEAD_IN_SECONDS);
    answers.push(await loadShape(shape, server, SLICE_SECONDS));
  };
  await loadShape(shape, bare, WARM_UP_SECONDS);
  await loadShape(shape, ours, WARM_UP_SECONDS);
  for (let i = 0; i < SLICES; i++) {
    await whileStopped(ours, () => slice(bare, measured.bare));
    await whileStopped(bare, () => slice(ours, measured.ours));
  }
}

export function reportInTurn(figures: Figures, title: string, { events, ...shape }: Shape, measured: Measured): void {
  const { ours, bare } = measured;
  const of = (answers: readonly Answered[], pick: (answered: Answered) => number): number => median(answers.map(pick));
  const rate = of(ours, (answered) => answered.requestsPerSecond);
  const ratios = ours.map((answered, i) => answered.requestsPerSecond / (bare[i]?.requestsPerSecond ?? NaN));
  figures.add(title + shape.title, {
    'requests/s': [rate, '1/s'],
    'events/s': [rate * events, '1/s'],
    'bare node:http requests/s': [of(bare, (answered) => answered.requestsPerSecond), '1/s'],
    'of the bare server': [median(ratios), ''],
    'of the bare server, least of a slice': [Math.min(...ratios), ''],
    'of the bare server, most of a slice': [Math.max(...ratios), ''],
    p50: [of(ours, (answered) => answered.p50Ms), 'ms'],
    p99: [of(ours, (answered) => answered.p99Ms), 'ms'],
    errors: [ours.reduce((sum, { errors }) => sum + errors, 0), ''],
  });
}

export async function withBareServer(use: (server: Server) => Promise<void>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  try {
    await use({ url: line.toString().trim(), pid: child.pid ?? 0 });
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}
