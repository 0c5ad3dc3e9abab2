import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { ReadingServer } from './reading-server.ts';

/** Runs it while ids cannot be joined in any project. */
export async function withoutJoins<T>({ admin }: ReadingServer, run: () => Promise<T>): Promise<T> {
  const { generations } = admin.ports;
  const { expectJoins } = generations;
  generations.expectJoins = async () => {
    throw new TidemarkError('IDS_NOT_JOINED', 'Replay first.');
  };
  try {
    return await run();
  } finally {
    generations.expectJoins = expectJoins;
  }
}
