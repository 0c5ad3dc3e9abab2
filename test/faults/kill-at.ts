/**
 * Preloaded into a service (`node --import`): it dies, as by kill -9, at the step that KILL_AT names. A projector that is
 * behind then writes batches of a few hundred users in transactions of a few dozen.
 */
import { writeSync } from 'node:fs';
import { LARGE_BATCH_LIMITS } from '../../services/consumers/projector/large-batch.ts';
import { MOST_IN_A_PART } from '../../services/consumers/projector/split-batch.ts';
import { EmbeddedEventLog } from '../../services/event-log/embedded/embedded-event-log.ts';
import { isImported } from '../../services/messages/message.ts';
import { RowFile } from '../../services/stores/analytics/chdb/row-file.ts';
import { ClickHouseAudiences } from '../../services/stores/analytics/clickhouse/clickhouse-audiences.ts';
import { ClickHouseStore } from '../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { around } from './around.ts';

export type KillStep =
  | 'a row file is half written'
  | 'a slice is written'
  | 'all slices are written, positions and claims are not'
  | 'records of an import are appended, not noted'
  | 'the profiles of a project are deleted, its rows are not'
  | 'an insert is noted, and nobody is told'
  | 'live changes are written, and do not count'
  | 'live changes count, and their members are not written'
  | 'live changes and their members are written'
  | 'an evaluation is written, and does not count';

const STEPS: Readonly<Record<KillStep, () => void>> = {
  'a row file is half written': () => {
    const write = RowFile.write.bind(RowFile);
    RowFile.write = async (folder, chunks) => {
      await write(folder, firstHalf(chunks));
      die();
    };
  },
  'a slice is written': () => {
    let slices = 0;
    around(SqlProfileStore.prototype, 'merge', async (merge) => {
      await merge();
      if (++slices === 3) die();
    });
  },
  'all slices are written, positions and claims are not': () => {
    let hasSlices = false;
    around(SqlProfileStore.prototype, 'merge', async (merge) => {
      await merge();
      hasSlices = true;
    });
    around(SqlProfileStore.prototype, 'write', (write, _steps, claims: readonly unknown[]) => {
      if (hasSlices && claims.length > 0) die();
      return write();
    });
  },
  'records of an import are appended, not noted': () => {
    let appended = 0;
    around(EmbeddedEventLog.prototype, 'append', async (append, records: readonly { readonly topic: string }[]) => {
      const result = await append();
      if (records.some(({ topic }) => isImported(topic)) && ++appended === 3) die();
      return result;
    });
  },
  'the profiles of a project are deleted, its rows are not': () =>
    around(ClickHouseStore.prototype, 'forget', () => die()),
  'an insert is noted, and nobody is told': () => {
    let noted = 0;
    around(ClickHouseStore.prototype, 'insert', async (insert, ranges: readonly unknown[]) => {
      await insert();
      if (ranges.length > 0 && ++noted === 3) die();
    });
  },
  'live changes are written, and do not count': () =>
    around(ClickHouseAudiences.prototype, 'writeChanges', async (write) => {
      await write();
      die();
    }),
  'live changes count, and their members are not written': () =>
    around(ClickHouseAudiences.prototype, 'writeMembers', () => die()),
  'live changes and their members are written': () =>
    around(ClickHouseAudiences.prototype, 'writeMembers', async (write) => {
      await write();
      die();
    }),
  'an evaluation is written, and does not count': () => {
    let written = 0;
    around(ClickHouseAudiences.prototype, 'difference', async (write) => {
      await write();
      if (++written === 4) die();
    });
  },
};

Object.assign(MOST_IN_A_PART, { records: 400 });
Object.assign(LARGE_BATCH_LIMITS, { users: 400, claims: 300, sliceUsers: 20 });
const step = process.env['KILL_AT'] as KillStep;
STEPS[step]();

function die(): never {
  writeSync(2, `killed where ${step}\n`);
  process.kill(process.pid, 'SIGKILL');
  throw new Error('it is dead');
}

/** The first half of the first piece. */
async function* firstHalf(chunks: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const bytes = chunk as Uint8Array;
    yield bytes.subarray(0, Math.ceil(bytes.length / 2));
    return;
  }
}
