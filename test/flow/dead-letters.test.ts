/** A record that is no message, from the log to the dead letters and back, as an operator meets it. */
import { describe, expect, test } from 'vitest';
import { runCli } from '../../services/cli/run-cli.ts';
import type { ListedDeadLetters } from '../../services/operations/dead-letters/dead-letter-commands.ts';
import type { NewRecord } from '../../services/event-log/event-log.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { identify, recordOf } from '../support/messages/messages.ts';
import { appendToOwnLog, withOwnLog } from '../support/service/own-log.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testedForms } from '../support/service/tested-forms.ts';

describe.each(await testedForms())('dead letters, $form', (tested) => {
  test(
    'dead letters are listed, shown, replayed and dropped while the readers go on',
    { timeout: 180_000 },
    async () => {
      const { service, put, tidemark, list } = await scene(await tested.settings());
      await put({ topic: 'tidemark.track', key: Buffer.from('k'), value: Buffer.from('rubbish') });

      await expectReadersGoOn(service);
      await expect.poll(async () => readersOf(await list()), { timeout: 30_000, interval: 500 }).toEqual([2]);
      const [first] = (await list()).dead_letters;
      const shown = await tidemark('show', first!.id);
      const replayed = await tidemark('replay', first!.id);

      expect(JSON.parse(shown.out)).toMatchObject({
        value_base64: Buffer.from('rubbish').toString('base64'),
        message: null,
      });
      expect(replayed).toMatchObject({ code: 0, out: '1 message replayed\n' });
      expect(replayed.err).toContain('1 of them cannot be read');
      await expect.poll(async () => readersOf(await list()), { timeout: 30_000, interval: 500 }).toEqual([2]);
      const [copy] = (await list()).dead_letters;
      expect(copy).toMatchObject({ copy_of: first!.id, code: 'MESSAGE_UNDECODABLE' });
      await expect.poll(() => deadLettersCounted(service)).toEqual({ projector: 2, sink: 2 });
      expect(await tidemark('drop', '--reader', 'sink')).toMatchObject({ code: 0, out: '1 message dropped\n' });
      expect(await list()).toMatchObject({ dead_letters: [], next_cursor: null, unreadable: 0 });
      await expectReadersGoOn(service);

      await service.stop();

      const all = await list('--state', 'any');
      expect(all.dead_letters.map(({ id, state }) => [id, state])).toEqual([
        [copy!.id, 'dropped'],
        [first!.id, 'replayed'],
      ]);
      expect(await tidemark('replay')).toMatchObject({ code: 2, out: '' });
    },
  );
});

describe('an edit of a dead letter from the command line', () => {
  test(
    'tidemark dead-letters edit tries and appends what show --record printed and an operator corrected',
    { timeout: 180_000 },
    async () => {
      const { put, tidemark, list } = await scene();
      await put(unacceptable());
      await expect.poll(async () => (await list()).dead_letters.length, { timeout: 30_000, interval: 500 }).toBe(1);
      const [letter] = (await list()).dead_letters;

      const record = await tidemark('show', letter!.id, '--record');
      const corrected = record.out.replace(String.raw`\u0000`, '');
      const tried = await tidemark('edit', letter!.id, corrected, '--dry-run');
      const same = await tidemark('edit', letter!.id, record.out);
      const edited = await tidemark('edit', letter!.id, corrected, '--json');

      expect(record.out).toContain('"balance": 12345678901234567.25');
      expect(tried).toMatchObject({ code: 0, out: 'profiles: would take it\nanalytics: would take it\n' });
      expect(same).toMatchObject({ code: 2, out: '' });
      expect(same.err).toContain('/user_id holds a NUL character');
      expect(JSON.parse(edited.out)).toMatchObject({ dry_run: false, id: letter!.id, stores: null });
      expect(await tidemark('edit', letter!.id, corrected, '--json')).toEqual(edited);
      expect((await list('--state', 'edited')).dead_letters).toMatchObject([{ id: letter!.id, state: 'edited' }]);
      const other = await tidemark('edit', letter!.id, '{"user_id":"bob"}');
      expect(other.err).toContain('DEAD_LETTER_SETTLED');
      expect((await tidemark('show', 'track/0/12345')).err).toContain('DEAD_LETTER_UNKNOWN');
    },
  );
});

/** Postgres has no text with a NUL, and no message that came by HTTP has one. */
function unacceptable(): NewRecord {
  const message = identify({ projectId: 'proj_shop', userId: 'ada\0', traits: '{"balance":12345678901234567.25}' });
  return { topic: 'tidemark.identify', ...recordOf(message) };
}

async function scene(ofForm: Readonly<Record<string, string>> = {}) {
  const dataDir = await temporaryFolder();
  const settings: Record<string, string> = { ...withOwnLog(dataDir), ...ofForm, DATA_DIR: dataDir };
  const service = await startedService(dataDir, settings);
  const tidemark = async (...args: readonly string[]) => {
    let [out, err] = ['', ''];
    const context = {
      env: settings,
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const code = await runCli(['dead-letters', ...args], context);
    return { code, out, err };
  };
  const list = async (...args: readonly string[]) => {
    const { code, out } = await tidemark('list', '--json', ...args);
    expect(code).toBe(0);
    return JSON.parse(out) as ListedDeadLetters;
  };
  const put = async (record: NewRecord): Promise<void> => {
    const url = settings['EVENT_LOG_URL'];
    await (url === undefined ? appendToOwnLog(dataDir, [record]) : append(url, record));
  };
  return { service, put, tidemark, list };
}

async function append(url: string, record: NewRecord): Promise<void> {
  const log = await openEventLog(url, { topics: TOPICS });
  await log.append([record]);
  await log.close();
}

async function expectReadersGoOn(service: ServiceProcess): Promise<void> {
  await recordedIn(service, '/v1/track', { user_id: 'ada', event: 'Went On' });
}

/** How many readers have put each of them aside. */
function readersOf({ dead_letters: listed }: ListedDeadLetters): readonly number[] {
  return listed.map(({ attempts }) => attempts.length);
}

async function deadLettersCounted(service: ServiceProcess): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const counts = [...text.matchAll(/^tidemark_reader_dead_letters_total\{reader="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries<number>(counts.map(([, reader = '', count]) => [reader, Number(count)]));
}
