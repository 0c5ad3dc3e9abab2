import { ask } from '../api/client.ts';
import { countOf } from '../api/json.ts';
import { operation } from '../../../schemas/operations.ts';
import { usePoll } from '../parts/loading/use-poll.ts';

const EVERY_MS = 30_000;

/** How many dead letters wait; nothing where none does, or where it cannot be found out. */
export function DeadLetterBadge() {
  const { value } = usePoll(
    'dead-letters',
    async (signal) => (await ask({ ...operation('GET /v1/admin/status'), signal })).dead_letters,
    EVERY_MS,
  );
  const waiting = value === undefined || value === null ? 0 : countOf(value.messages);
  if (waiting === 0) return null;
  return (
    <span class="badge mended">
      {waiting}
      <span class="visually-hidden"> waiting</span>
    </span>
  );
}
