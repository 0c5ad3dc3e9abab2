import type { Appended, NewRecord } from '../event-log.ts';
import { Batch, place, type Placed, SpareMemory } from './batch.ts';
import { Gatherer } from './gatherer.ts';
import type { Layout } from './segments/layout.ts';
import type { AppendRequest, AppendResult } from './requests.ts';

interface Append extends Placed {
  readonly bytes: number;
  readonly reject: (error: unknown) => void;
}

/** Appends, gathered into batches for the writer thread. */
export class AppendQueue {
  readonly #layout: Layout;
  readonly #write: (request: AppendRequest) => Promise<AppendResult>;
  readonly #gatherer = new Gatherer<Append>((appends) => this.#send(appends));
  readonly #memory = new SpareMemory();

  constructor(layout: Layout, write: (request: AppendRequest) => Promise<AppendResult>) {
    this.#layout = layout;
    this.#write = write;
  }

  /** @throws TidemarkError `CONFIG_INVALID` for a topic that was not given on opening; RangeError for a huge record. */
  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    const { slots, bytes } = place(this.#layout, records);
    return new Promise((resolve, reject) => {
      this.#gatherer.add({ records, bytes, slots, ranks: [], resolve, reject });
    });
  }

  /** Resolves once nothing waits or is in progress. Never rejects. */
  idle(): Promise<void> {
    return this.#gatherer.idle();
  }

  async #send(appends: readonly Append[]): Promise<void> {
    try {
      const batch = new Batch(this.#layout, appends);
      const result = await this.#write(batch.pack(this.#memory));
      this.#memory.giveBack(result.bytes);
      batch.resolve(result);
    } catch (error) {
      for (const { reject } of appends) reject(error);
    }
  }
}
