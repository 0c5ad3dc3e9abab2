import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../servers/processes/server-process.ts';

/** What the processes of a run take for a slow disk: made by a C compiler, on Linux. */
export class SlowDisk {
  readonly #library: string;
  readonly #file: string;

  private constructor(library: string, file: string) {
    this.#library = library;
    this.#file = file;
  }

  /** Undefined where there is no compiler, or no Linux. */
  static async make(folder: string): Promise<SlowDisk | undefined> {
    if (process.platform !== 'linux') return undefined;
    const library = join(folder, 'slow-disk.so');
    const source = join(import.meta.dirname, 'slow-disk.c');
    try {
      await runTool('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl']);
    } catch {
      return undefined;
    }
    return new SlowDisk(library, join(folder, 'slow-disk'));
  }

  /** For a process that is to feel it. */
  get environment(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, SLOW_DISK_FILE: this.#file };
  }

  /** Every flush takes `ms` longer from now on. */
  async slow(ms: number): Promise<void> {
    await writeFile(this.#file, String(ms));
  }

  async heal(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}
