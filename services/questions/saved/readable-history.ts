/** What can be read of the changes of saved audiences: those of evaluations that ended, and the live ones that count. */
import type { Micros } from '../../messages/message.ts';
import type { AnalyticsReader, ChangesQuery, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import type { SqlAudienceStore } from './sql-audience-store.ts';

export interface ReadableParts {
  readonly saved: Pick<SqlAudienceStore, 'find' | 'liveEpochs'>;
  readonly analytics: Pick<AnalyticsReader, 'finalizedAt' | 'audienceChanges'>;
}

/** Up to when changes can be read: the last evaluation, or how far a live audience has come since; null: none yet. */
export async function readableUntil(
  { saved, analytics }: ReadableParts,
  projectId: string,
  audienceId: string,
): Promise<Micros | null> {
  const audience = await saved.find(projectId, audienceId);
  // Analytics is not asked where the answer is known: whoever follows the changes of an audience asks after each of them.
  if (audience?.isFollowed === true) return audience.liveThrough;
  const evaluatedAt = await analytics.finalizedAt(projectId, audienceId);
  const liveThrough = audience?.liveThrough ?? null;
  return evaluatedAt === null || (liveThrough !== null && liveThrough > evaluatedAt) ? liveThrough : evaluatedAt;
}

/**
 * Users who entered and left, as `AnalyticsReader.audienceChanges` gives them. It asks which live changes count after
 * `until` is known: none up to it is missed.
 */
export async function readableChanges(
  { saved, analytics }: ReadableParts,
  query: Omit<ChangesQuery, 'epochs'>,
  limits: QueryLimits,
): Promise<AsyncIterable<Uint8Array>> {
  return analytics.audienceChanges({ ...query, epochs: await saved.liveEpochs() }, limits);
}
