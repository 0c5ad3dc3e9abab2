import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { expect, onTestFinished, test } from 'vitest';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { ReplayCommands } from '../../../services/operations/replay/replay-commands.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { serverUrl } from '../../servers/server.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { sharedInstallation, WholeInstallation } from '../../support/service/whole-installation.ts';

const kafka = await serverUrl('kafka');
const embedded = sharedInstallation('embedded');
const TOPIC = 'tidemark.track';

/** With three events on Kafka, of which the first two were deleted before anybody read them. */
async function cutInstallation(maker: MessageMaker): Promise<WholeInstallation> {
  const prefix = `${randomUUID().slice(0, 8)}.`;
  const mark = kafka?.includes('?') ? '&' : '?';
  const log = await openEventLog(`${kafka}${mark}topic_prefix=${prefix}`, { topics: TOPICS, partitions: 1 });
  onTestFinished(() => log.close());
  const { database, analytics, alterAnalytics } = embedded();
  const installation = new WholeInstallation({ log, database, analytics, alterAnalytics });
  await installation.append([maker.track(), maker.track(), maker.track()]);
  const admin = new Kafka({ brokers: [new URL(kafka ?? '').host], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const topic = `${prefix}${TOPIC}`;
  // It deletes from topics that it has heard of.
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
  await admin.disconnect();
  return installation;
}

test.skipIf(kafka === undefined)(
  'records that were deleted from the log before anybody read them are told by the reader, verify and the replay',
  async () => {
    const maker = new MessageMaker();
    const installation = await cutInstallation(maker);
    const { log, codec, database, analytics } = installation;
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
    const store = new SqlProfileStore(database);
    const projector = new Projector({ log, codec, logger, store, repeatWindowMs: 1_000, group: randomUUID() });
    onTestFinished(() => projector.stop());

    projector.start();
    await expect.poll(() => lines, { timeout: 60_000 }).toHaveLength(1);
    await projector.stop();
    await installation.readAll();

    expect(lines[0]).toContain(`"deleted":{"${TOPIC}/0":2}`);
    const report = await verify(await storesToVerify(installation), { projectId: maker.projectId }, OPTIONS);
    expect(report).toMatchObject({ equal: true, deleted_from_log: { records: 2, partitions: { [`${TOPIC}/0`]: 2 } } });
    const replays = new ReplayCommands({ log, codec, database, analytics, whileFed: (run) => run() });
    expect(await replays.plan({ kind: 'profiles' })).toMatchObject({
      messages: 1,
      deleted_from_log: 2,
    });
  },
  240_000,
);

const OPTIONS = { repeatWindowMs: 1_000 };
