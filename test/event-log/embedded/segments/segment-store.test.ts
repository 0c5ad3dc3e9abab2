import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { testDeletingStore } from '../../../contract/event-log/deleting-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

testDeletingStore('a log of segments', async () => {
  const folder = await temporaryFolder();
  const open = () => SegmentStore.open({ folder, topics: ['t'], partitions: 2, segmentBytes: 1_000 });
  const contents = async (): Promise<readonly Buffer[]> => {
    return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  };
  return {
    store: open(),
    openAgain: open,
    holds: async (bytes) => (await contents()).some((content) => content.includes(bytes)),
    size: async () => (await contents()).reduce((sum, { length }) => sum + length, 0),
  };
});
