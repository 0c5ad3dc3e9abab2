import { expect, onTestFinished, test } from 'vitest';
import { Readers } from '../../services/app/readers/readers.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { sharedDatabase } from '../support/stores/database.ts';
import { MemoryLog } from '../support/event-log/memory-log.ts';
import { codec } from '../support/messages/messages.ts';

const database = sharedDatabase();

/** A projector at work on this log. */
async function projectorOn(log: MemoryLog): Promise<Readers> {
  const logger = createLogger('silent', { write: () => undefined });
  const parts = { config: readConfig({}), logger, log, codec, database: database(), stuckAfterMs: 1 };
  const readers = new Readers(parts, ['projector']);
  onTestFinished(() => readers.stop());
  readers.start();
  await expect.poll(() => readers.health()).toMatchObject({ projector: 'ready' });
  return readers;
}

test('the health of a reader that repeats what fails is `stuck` with the reason, until it continues', async () => {
  const log = new MemoryLog();
  const readers = await projectorOn(log);

  log.trouble = new TidemarkError('LOG_UNAVAILABLE', 'broker 10.0.0.1 is unreachable');
  const stuck = 'stuck: cannot read the event log (LOG_UNAVAILABLE)';
  await expect.poll(() => readers.health()).toMatchObject({ projector: stuck, 'import-projector': stuck });

  log.trouble = undefined;
  await expect.poll(() => readers.health()).toMatchObject({ projector: 'ready', 'import-projector': 'ready' });
});

test('the health of a reader that no waiting cures is `failed`, and stays so', async () => {
  const log = new MemoryLog();
  const readers = await projectorOn(log);
  const failed = expect(readers.failed).rejects.toMatchObject({ code: 'LOG_REPLACED' });

  log.trouble = new TidemarkError('LOG_REPLACED', 'another record is before tidemark.track/0 at 7');
  await failed;
  log.trouble = undefined;

  await expect
    .poll(() => readers.health())
    .toEqual({ profiles: 'ready', projector: 'failed', 'import-projector': 'failed' });
});
