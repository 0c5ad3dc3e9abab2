import { ReplayCommands } from '../../operations/replay/replay-commands.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { OpenedStores } from '../open-stores.ts';
import { Readers } from './readers.ts';

interface ReplayingParts {
  readonly config: Config;
  readonly logger: Logger;
  /** Whether this process runs readers of its own. */
  readonly hasReaders: boolean;
}

export function replaysOn(parts: ReplayingParts, stores: OpenedStores): ReplayCommands {
  return new ReplayCommands({ ...stores, whileFed: (run) => whileFed(parts, stores, run) });
}

/** Where no service has the embedded stores open, the command fills them itself, with readers of its own. */
async function whileFed<T>(
  { config, logger, hasReaders }: ReplayingParts,
  stores: OpenedStores,
  run: () => Promise<T>,
): Promise<T> {
  if (hasReaders || (isServer(config.profilesUrl) && isServer(config.analyticsUrl))) return run();
  const readers = Readers.both({ ...stores, config, logger }, stores.analytics);
  readers.start();
  try {
    return await Promise.race([run(), readers.failed]);
  } finally {
    await readers.stop();
  }
}
