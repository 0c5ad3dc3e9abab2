import { countOf } from '../api/json.ts';
import { operation } from '../../../schemas/operations.ts';
import { usePoll } from '../parts/loading/use-poll.ts';

const EVERY_MS = 30_000;

/** How many dead letters wait; nothing where none does, or where it cannot be found out. */
export function DeadLetterBadge() {
  const { value } = usePoll(operation('GET /v1/admin/status'), EVERY_MS);
  const waiting = value?.dead_letters ? countOf(value.dead_letters.messages) : 0;
  if (waiting === 0) return null;
  return (
    <span class="badge mended">
      {waiting}
      <span class="visually-hidden"> waiting</span>
    </span>
  );
}
