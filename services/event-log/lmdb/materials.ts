import { MAX_BATCH_BYTES, SpareMemory } from './batch.ts';
import { Gatherer } from './gather.ts';
import { type MakeRequest, type MakeResult, NOT_MADE } from './requests.ts';
import type { MadeAppend, Material } from '../record-maker.ts';

interface Handed {
  readonly material: Material;
  readonly bytes: number;
  readonly resolve: (made: MadeAppend | null) => void;
  readonly reject: (error: unknown) => void;
}

/** What records are to be made of, gathered into batches for the thread that makes and writes them. */
export class MaterialQueue {
  readonly #write: (request: MakeRequest) => Promise<MakeResult>;
  readonly #gatherer = new Gatherer<Handed>((handed) => this.#send(handed));
  readonly #memory = new SpareMemory();

  constructor(write: (request: MakeRequest) => Promise<MakeResult>) {
    this.#write = write;
  }

  append(material: Material): Promise<MadeAppend | null> {
    const bytes = material.length;
    if (bytes > MAX_BATCH_BYTES) throw new RangeError(`${bytes} bytes for a record are more than ${MAX_BATCH_BYTES}`);
    return new Promise((resolve, reject) => this.#gatherer.add({ material, bytes, resolve, reject }));
  }

  /** Resolves once nothing is under way or waits. Never rejects. */
  idle(): Promise<void> {
    return this.#gatherer.idle();
  }

  async #send(handed: readonly Handed[]): Promise<void> {
    try {
      const result = await this.#write(pack(handed, this.#memory));
      this.#memory.giveBack(result.bytes);
      resolve(handed, result);
    } catch (error) {
      for (const { reject } of handed) reject(error);
    }
  }
}

function pack(handed: readonly Handed[], memory: SpareMemory): MakeRequest {
  let total = 0;
  for (const { bytes } of handed) total += bytes;
  const bytes = memory.take(total);
  const target = Buffer.from(bytes);
  const shared: object[] = [];
  const parts: number[] = [];
  let at = 0;
  for (const { material } of handed) {
    let index = shared.indexOf(material.shared);
    if (index === -1) index = shared.push(material.shared) - 1;
    parts.push(index, material.length);
    material.write(target, at);
    at += material.length;
  }
  return { kind: 'make', bytes, shared, parts };
}

function resolve(handed: readonly Handed[], { reports, lengths, appendedAtMs }: MakeResult): void {
  let at = 0;
  for (const [i, one] of handed.entries()) {
    const length = lengths[i] as number;
    if (length === NOT_MADE) one.resolve(null);
    else one.resolve({ report: reports.slice(at, (at += length)), appendedAtMs });
  }
}
