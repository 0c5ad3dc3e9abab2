/** Erases some of the records that were just appended, and cuts the beginning of the log, now and then. */
import type { Appended } from '../../../services/event-log/event-log.ts';
import { nameOf } from '../../../services/event-log/partition.ts';
import { SegmentStore } from '../../../services/event-log/embedded/segments/segment-store.ts';

const ERASE_AFTER_APPENDS = 12;
const CUT_AFTER_APPENDS = 90;
/** Records of each partition that a cut leaves at least. */
const LEFT = 400;

export interface Deleter {
  /** To be called once these are acknowledged, and said to be. */
  appended(records: readonly Appended[]): Promise<void>;
}

/**
 * It prints what it is about to do, as the process may die meanwhile: `erasing SPOT …`, `erased SPOT …`, where a spot is
 * `topic/partition@offset`, and `cutting topic/partition@offset …`, the offsets below which is cut.
 */
export function deleteFrom(folder: string): Deleter {
  const store = SegmentStore.open({ folder, topics: [], partitions: undefined });
  let appends = 0;
  return {
    appended: async (records) => {
      appends++;
      const isToCut = appends % CUT_AFTER_APPENDS === 0;
      if (appends % ERASE_AFTER_APPENDS === 0) await erase(store, records);
      if (isToCut) await cut(store);
    },
  };
}

async function erase(store: SegmentStore, records: readonly Appended[]): Promise<void> {
  const spots = records.map((one) => `${nameOf(one)}@${one.offset}`).join(' ');
  await say(`erasing ${spots}`);
  store.erase(records.map((one) => ({ partition: store.layout.find(one)!, offset: Number(one.offset) })));
  await say(`erased ${spots}`);
}

async function cut(store: SegmentStore): Promise<void> {
  const below = store.withLatest(() => store.ends()).map((end) => Math.max(0, end - LEFT));
  await say(`cutting ${store.layout.partitions.map((one) => `${nameOf(one)}@${below[one.index]}`).join(' ')}`);
  store.cut(below);
}

/** Returns once the line has left the process: one that waits for a slow reader would be lost with it. */
function say(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}
