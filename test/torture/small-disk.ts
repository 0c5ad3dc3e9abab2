import { mkdir, statfs } from 'node:fs/promises';
import { runTool } from '../servers/server-process.ts';

/** A file system in memory of its own, which can fill up: only root on Linux can mount one. */
export class SmallDisk {
  static readonly canMount = process.platform === 'linux' && process.getuid?.() === 0;
  readonly folder: string;
  readonly #mebibytes: number;

  private constructor(folder: string, mebibytes: number) {
    this.folder = folder;
    this.#mebibytes = mebibytes;
  }

  static async mount(folder: string, mebibytes: number): Promise<SmallDisk> {
    await mkdir(folder, { recursive: true });
    await runTool('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
    return new SmallDisk(folder, mebibytes);
  }

  /** Nothing more fits from now on, but for `kibibytes`. */
  async fill(kibibytes: number): Promise<void> {
    const { blocks, bfree, bsize } = await statfs(this.folder);
    await this.#resize(`${Math.ceil(((blocks - bfree) * bsize) / 1024) + kibibytes}k`);
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
