/**
 * The embedded service on a disk of its own that somebody else fills: 3 KB tracks come all the time, and what must be there
 * afterwards is known. Also a program: `node test/faults/full-disk.ts tmpfs|ext4 SECONDS` (root on Linux).
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTool } from '../servers/processes/server-process.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { readLog } from '../torture/check/read-log.ts';

export type FileSystem = 'tmpfs' | 'ext4';

const MEBIBYTES = 300;
const POST_EVERY_MS = 50;
/** Tracks that are answered before the disk is filled, and again after there is room: two seconds' worth. */
const TRACKS_BEFORE = 40;
const FILL_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

/** A file system of 300 MB: in memory, or in a file that stands for a disk. */
export class DiskToFill {
  readonly folder: string;
  readonly #parent: string;
  #filling: Promise<void> | undefined;
  #isFilling = false;

  private constructor(parent: string) {
    this.#parent = parent;
    this.folder = join(parent, 'disk');
  }

  static async mount(kind: FileSystem): Promise<DiskToFill> {
    const parent = await mkdtemp(join(tmpdir(), 'tidemark-disk-'));
    const disk = new DiskToFill(parent);
    await mkdir(disk.folder);
    if (kind === 'tmpfs') {
      await runTool('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'tmpfs', disk.folder]);
    } else {
      const image = join(parent, 'image');
      await writeFile(image, '');
      await truncate(image, MEBIBYTES * 2 ** 20);
      await runTool('mkfs.ext4', ['-q', '-m', '0', image]);
      await runTool('mount', ['-o', 'loop', image, disk.folder]);
    }
    return disk;
  }

  /** From now on nothing stays free: what is given back is taken at once. */
  fill(): void {
    this.#isFilling = true;
    this.#filling = this.#fillOn();
  }

  /** All that was taken is free again. */
  async empty(): Promise<void> {
    this.#isFilling = false;
    await this.#filling;
    await rm(join(this.folder, 'ballast'), { force: true });
  }

  async unmount(): Promise<void> {
    await this.empty();
    await runTool('umount', ['-l', this.folder]);
    await rm(this.#parent, { recursive: true, force: true });
  }

  async #fillOn(): Promise<void> {
    while (this.#isFilling) {
      // 4 KB at a time: all but the last block.
      const dd = spawn(
        'dd',
        ['if=/dev/zero', `of=${join(this.folder, 'ballast')}`, 'bs=4k', 'oflag=append', 'conv=notrunc'],
        {
          stdio: 'ignore',
        },
      );
      await once(dd, 'exit');
      await sleep(FILL_EVERY_MS);
    }
  }
}

/** A post every 50 ms, whatever becomes of those before. */
export class SteadyTracks {
  /** How many were answered with each status; 0: not at all. */
  readonly answers = new Map<number, number>();
  readonly accepted = new Set<string>();
  /** When something was last answered 200, by `performance.now`. */
  acceptedAt = 0;
  readonly #url: () => Pick<ServiceProcess, 'request'>;
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<void>>();

  constructor(service: () => Pick<ServiceProcess, 'request'>) {
    this.#url = service;
    this.#timer = setInterval(() => {
      const post = this.#post().finally(() => this.#underWay.delete(post));
      this.#underWay.add(post);
    }, POST_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  async #post(): Promise<void> {
    const message_id = randomUUID();
    let status = 0;
    try {
      const body = {
        message_id,
        user_id: `user ${Math.floor(Math.random() * 50)}`,
        event: 'Tried',
        properties: { text: 'x'.repeat(3_000) },
      };
      const answer = Promise.race([this.#url().request('/v1/track', body), sleep(ANSWER_WITHIN_MS)]);
      const response = await answer;
      await response?.body?.cancel();
      status = response?.status ?? 0;
    } catch {
      // Not answered.
    }
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    if (status !== 200) return;
    this.accepted.add(message_id);
    this.acceptedAt = performance.now();
  }
}

export interface FullDiskOutcome {
  readonly answers: Readonly<Record<string, number>>;
  /** From there being room to the first answer 200; undefined where none came within 30 s. */
  readonly recoveredMs: number | undefined;
  readonly exitCode: number | null;
  readonly stopMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly lastOutput: readonly string[];
}

/** @param stopWhileFull Ends the service before there is room again. */
export async function fillTheDisk(
  kind: FileSystem,
  seconds: number,
  { stopWhileFull = false }: { readonly stopWhileFull?: boolean } = {},
): Promise<FullDiskOutcome> {
  const disk = await DiskToFill.mount(kind);
  const data = join(disk.folder, 'data');
  let service: ServiceProcess | undefined;
  try {
    service = await ServiceProcess.start(data);
    const running = service;
    const tracks = new SteadyTracks(() => running);
    while (tracks.accepted.size < TRACKS_BEFORE) await sleep(20);
    disk.fill();
    // The length of the fault.
    await sleep(seconds * 1_000);
    let recoveredMs: number | undefined;
    if (!stopWhileFull) {
      await disk.empty();
      recoveredMs = await recovery(tracks);
      const before = recoveredMs === undefined ? -TRACKS_BEFORE : tracks.accepted.size;
      while (tracks.accepted.size < before + TRACKS_BEFORE) await sleep(20);
    }
    const stopAt = performance.now();
    const stopping = service.stop();
    await tracks.stop();
    const exitCode = await Promise.race([stopping, sleep(40_000).then(() => -1)]);
    const stopMs = Math.round(performance.now() - stopAt);
    await service.stop('SIGKILL');
    await disk.empty();
    const counts = new Map<string, number>();
    await readLog(`log:${join(data, 'event-log')}`, ({ messageId }) => {
      counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
    });
    return {
      answers: Object.fromEntries(tracks.answers),
      recoveredMs,
      exitCode,
      stopMs,
      lost: [...tracks.accepted].filter((id) => !counts.has(id)).length,
      doubled: [...counts.values()].filter((count) => count > 1).length,
      lastOutput: service.output.filter((line) => !line.includes('"level":"info"')).slice(-8),
    };
  } finally {
    await service?.stop('SIGKILL');
    await disk.unmount();
  }
}

/** How long from now until something is answered 200. */
async function recovery(tracks: SteadyTracks): Promise<number | undefined> {
  const from = performance.now();
  while (performance.now() < from + 30_000) {
    if (tracks.acceptedAt > from) return Math.round(tracks.acceptedAt - from);
    await sleep(20);
  }
  return undefined;
}

if (import.meta.main) {
  const [kind = 'tmpfs', seconds = '60', ...more] = process.argv.slice(2);
  const outcome = await fillTheDisk(kind as FileSystem, Number(seconds), { stopWhileFull: more.includes('stop') });
  process.stdout.write(`${JSON.stringify(outcome, null, 1)}\n`);
  process.exit(0);
}
