import type { Appended } from '../event-log.ts';
import { Batch, place, type Placed, type SpareMemory } from './batch.ts';
import type { Layout } from './layout.ts';
import { type AppendRequest, type AppendResult, type MakeRequest, type MakeResult, NOT_MADE } from './requests.ts';
import type { MadeRecords, RecordMaker } from '../record-maker.ts';

interface Made extends Placed, Pick<MadeRecords, 'report'> {
  appended: readonly Appended[];
}

/** What the thread that writes makes of one request for records. */
export class Making {
  /** The records, as if somebody else had made them; no chunk where none was made. */
  readonly append: AppendRequest;
  readonly #request: MakeRequest;
  readonly #memory: SpareMemory;
  readonly #batch: Batch;
  /** Of each material. */
  readonly #made: readonly (Made | undefined)[];

  /** @param make Undefined makes none. */
  constructor(request: MakeRequest, make: RecordMaker | undefined, layout: Layout, memory: SpareMemory) {
    this.#request = request;
    this.#memory = memory;
    this.#made = materialsOf(request).map(([shared, bytes]) => make && makeOne(make, shared, bytes, layout));
    const all = this.#made.filter((made) => made !== undefined);
    this.#batch = new Batch(layout, all);
    this.append = this.#batch.pack(memory);
  }

  /** Once they are safe. */
  result(appended: AppendResult): MakeResult {
    this.#batch.resolve(appended);
    this.#memory.giveBack(appended.bytes);
    let reports = '';
    const lengths = this.#made.map((made) => {
      if (made === undefined) return NOT_MADE;
      const report = made.report(made.appended);
      reports += report;
      return report.length;
    });
    return { reports, lengths, appendedAtMs: appended.appendedAtMs, bytes: this.#request.bytes };
  }
}

function materialsOf({ bytes, shared, parts }: MakeRequest): (readonly [shared: unknown, bytes: Buffer])[] {
  const materials: (readonly [unknown, Buffer])[] = [];
  let at = 0;
  for (let i = 0; i < parts.length; i += 2) {
    const length = parts[i + 1] as number;
    materials.push([shared[parts[i] as number], Buffer.from(bytes, at, length)]);
    at += length;
  }
  return materials;
}

/** Undefined also where it throws: whoever handed the bytes over then deals with them, and meets the same error. */
function makeOne(make: RecordMaker, shared: unknown, bytes: Buffer, layout: Layout): Made | undefined {
  try {
    const made = make(shared, bytes);
    return made === undefined ? undefined : placed(made, layout);
  } catch {
    return undefined;
  }
}

function placed({ records, report }: MadeRecords, layout: Layout): Made {
  const { slots } = place(layout, records);
  const made: Made = {
    records,
    slots,
    ranks: [],
    report,
    appended: [],
    resolve: (appended) => {
      made.appended = appended;
    },
  };
  return made;
}
