import type { Micros } from '../../messages/message.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import { SharedPoll } from '../shared-poll.ts';

export interface WantedChanges {
  readonly audienceId: string;
  /** The evaluation waited for is later than this. */
  readonly after: Micros;
}

/** `unchanged`: the time is over, the client gone, or the watch stopped. */
export type ChangesOutcome = 'changed' | 'unchanged' | 'deleted';

type ChangedAt = Awaited<ReturnType<SqlAudienceStore['changesReadableAt']>>;

/**
 * Waits for evaluations that change who is in an audience, in whatever process they run. Without waiters nothing is
 * queried, and analytics never is.
 */
export class ChangesWatch extends SharedPoll<WantedChanges, ChangedAt, ChangesOutcome> {
  constructor(store: Pick<SqlAudienceStore, 'changesReadableAt'>, intervalMs = 100) {
    super({
      intervalMs,
      look: (wanted) => store.changesReadableAt([...new Set([...wanted].map(({ audienceId }) => audienceId))]),
      answerTo: outcomeOf,
      isFinal: (outcome) => outcome !== 'unchanged',
      known: 'unchanged',
      nothing: 'unchanged',
    });
  }
}

function outcomeOf({ audienceId, after }: WantedChanges, changedAt: ChangedAt): ChangesOutcome {
  const at = changedAt.get(audienceId);
  if (at === undefined) return 'deleted';
  return at !== null && at > after ? 'changed' : 'unchanged';
}
