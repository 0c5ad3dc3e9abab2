import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** Remembers in a folder under which boot of the machine it was last opened: another one may have been a power cut. */
export class BootNote {
  readonly #file: string;
  readonly #boot: string;

  constructor(folder: string, boot = readText(BOOT_ID) ?? '') {
    this.#file = join(folder, 'boot');
    this.#boot = boot;
  }

  /** False in a new folder. True where the system does not tell its boots apart (macOS): then every start may be one. */
  isAnother(): boolean {
    const noted = readText(this.#file);
    return noted !== undefined && (noted !== this.#boot || this.#boot === '');
  }

  /** When it was last opened, in milliseconds since 1970 as the file system dates; undefined in a new folder. */
  notedAtMs(): number | undefined {
    return statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs;
  }

  note(): void {
    const descriptor = openSync(this.#file, 'w', 0o600);
    try {
      writeSync(descriptor, this.#boot);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
