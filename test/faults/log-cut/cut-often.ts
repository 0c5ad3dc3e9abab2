/**
 * Preloaded into a service (`node --import`): its embedded log has small files and is cut up to where its readers are,
 * again and again, and says so on standard error.
 */
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { setSegmentBytes } from '../../../services/event-log/embedded/segments/shared-log.ts';
import { SNAPSHOT_TOPIC } from '../../../services/messages/message.ts';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import { around } from '../around.ts';

const CUT_EVERY_MS = 200;

setSegmentBytes(20_000);

if (isMainThread) {
  around(EmbeddedEventLog.prototype, 'append', (append, records: readonly { readonly topic: string }[]) => {
    if (records[0]?.topic === SNAPSHOT_TOPIC) writeSync(2, 'a piece of a snapshot is written\n');
    return append();
  });
  around(EmbeddedEventLog.prototype, 'cut', async (cutLog) => {
    writeSync(2, 'a cut begins\n');
    await cutLog();
    writeSync(2, 'a cut ends\n');
  });
  const runners = new WeakSet<JobRunner>();
  around(JobRunner.prototype, 'takeUp', function (this: JobRunner, takeUp) {
    if (!runners.has(this)) setInterval(() => void cutOnce(this), CUT_EVERY_MS).unref();
    runners.add(this);
    return takeUp();
  });
}

/** Whatever another one does: one that was killed holds its lease. */
async function cutOnce(runner: JobRunner): Promise<void> {
  const job = { kind: 'log cut', args: { keep_ms: 0 }, principal: 'service' } as const;
  await runner.start(job).catch(() => undefined);
}
