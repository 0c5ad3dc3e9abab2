import { expect, onTestFinished, test } from 'vitest';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { Readers } from '../../services/app/readers/readers.ts';
import { sharedDatabase } from '../support/database.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { codec } from '../support/messages.ts';

const database = sharedDatabase();

test('a reader that fails on the same thing says that it is stuck and why, until it goes on', async () => {
  const log = new MemoryLog();
  const logger = createLogger('silent', { write: () => undefined });
  const parts = { config: readConfig({}), logger, log, codec, database: database(), stuckAfterMs: 1 };
  const readers = Readers.projector(parts);
  onTestFinished(() => readers.stop());
  readers.start();
  await expect.poll(() => readers.health()).toMatchObject({ projector: 'ready' });

  log.trouble = new TidemarkError('LOG_UNAVAILABLE', 'broker 10.0.0.1 is away');
  const stuck = 'stuck: cannot read the event log (LOG_UNAVAILABLE)';
  await expect.poll(() => readers.health()).toMatchObject({ projector: stuck, 'import-projector': stuck });

  log.trouble = undefined;
  await expect.poll(() => readers.health()).toMatchObject({ projector: 'ready', 'import-projector': 'ready' });
});
