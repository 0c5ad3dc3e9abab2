import { execFileSync } from 'node:child_process';
import { mkdir, statfs } from 'node:fs/promises';
import { runTool } from '../../servers/processes/server-process.ts';

/** Whoever writes faster than `mount` starts comes to an end within that. */
const FILLED_WITHIN_MS = 10_000;

/** A file system in memory of its own, which can fill up: only root on Linux can mount one. */
export class SmallDisk {
  static readonly canMount = canMount();
  readonly folder: string;
  readonly #mebibytes: number;

  private constructor(folder: string, mebibytes: number) {
    this.folder = folder;
    this.#mebibytes = mebibytes;
  }

  static async mount(folder: string, mebibytes: number): Promise<SmallDisk> {
    await mkdir(folder, { recursive: true });
    await runTool('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder]);
    return new SmallDisk(folder, mebibytes);
  }

  /** Nothing more fits from now on, but for `kibibytes`. */
  async fill(kibibytes: number): Promise<void> {
    const untilMs = performance.now() + FILLED_WITHIN_MS;
    // What is written between the look and the mount may take more than is allowed: then it is refused.
    for (let attempt = 0; ; attempt++) {
      const { blocks, bfree, bsize } = await statfs(this.folder);
      const kept = Math.ceil(((blocks - bfree) * bsize) / 1024) + kibibytes + 64 * attempt;
      const refused = await this.#resize(`${kept}k`).catch((error: unknown) => error as Error);
      if (refused === undefined) return;
      if (performance.now() > untilMs) throw refused;
    }
  }

  async empty(): Promise<void> {
    await this.#resize(`${this.#mebibytes}m`);
  }

  async unmount(): Promise<void> {
    await runTool('umount', ['-l', this.folder]);
  }

  async #resize(size: string): Promise<void> {
    await runTool('mount', ['-o', `remount,size=${size}`, this.folder]);
  }
}

/** Root may still be kept from it, in a container. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
