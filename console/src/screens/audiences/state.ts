/** How an audience is, in words, and how its size has changed. Pure. */
import type { HistoryEntry, SavedAudience } from '../../api/types.ts';
import { countOf } from '../../api/json.ts';
import { type DiffLine, lineDiff } from '../../parts/json/line-diff.ts';
import { DAY_MS, signedCount } from '../../parts/numbers.ts';

interface AudienceState {
  readonly is: 'well' | 'waiting' | 'unwell';
  readonly text: string;
  /** Why, where there is something to be said. */
  readonly reason?: string;
  readonly isCounting?: boolean;
}

const LIVE = 'live';

/** After this, an evaluation that was due is late: the service looks for those that are due every second. */
const LATE_MS = 60_000;

/** Whether its size is that of the definition before. */
export function isOfBefore({ evaluation, version }: Pick<SavedAudience, 'evaluation' | 'version'>): boolean {
  return evaluation !== null && evaluation.version.rawJSON !== version.rawJSON;
}

/** @param isRunning Whether somebody has asked for a count that is not there yet. */
export function stateOf(audience: SavedAudience, nowMs: number, isRunning = false): AudienceState {
  const { evaluation, failure, refresh } = audience;
  const isOld = isOfBefore(audience);
  // What has a refresh is counted within a second after it was saved.
  const isDue = isRunning || (refresh !== null && failure === null);
  if (isDue && evaluation === null) return { is: 'waiting', text: 'Counting…', isCounting: true };
  if (isDue && isOld)
    return { is: 'waiting', text: 'Counting the new definition…', reason: OLD_TEXT, isCounting: true };
  if (failure === 'WAITING_FOR_ANALYTICS')
    return { is: 'waiting', text: 'Waiting for analytics', reason: WAITING_TEXT };
  if (failure !== null) return { is: 'unwell', text: 'Failing', reason: failureText(failure) };
  if (evaluation === null) return { is: 'waiting', text: 'Not counted' };
  if (isOld) return { is: 'waiting', text: 'Changed since', reason: `${OLD_TEXT} Update it now.` };
  if (refresh === null) return { is: 'waiting', text: 'Counted' };
  if (refresh === LIVE) return { is: 'well', text: 'Live' };
  const dueMs = Date.parse(evaluation.at) + Number.parseInt(refresh, 10) * REFRESH_UNITS[unitOf(refresh)].ms + LATE_MS;
  if (nowMs <= dueMs) return { is: 'well', text: 'Up to date' };
  return { is: 'unwell', text: 'Late', reason: `It updates ${refreshText(refresh)}, and the last update is overdue.` };
}

const OLD_TEXT = 'The size shown is that of the previous definition.';
const WAITING_TEXT =
  'Analytics is reading lost messages again. Until it is done, nobody is recorded as joining or leaving, and the size is that of the last update.';

function failureText(code: string): string {
  const reason =
    code === 'QUERY_LIMIT'
      ? 'It exceeds the limits of one query: use a rarer event or a shorter period, or raise the limits of the project'
      : `The last update failed with ${code}`;
  return `${reason}. The size is that of the last update. It will be retried.`;
}

const REFRESH_UNITS = {
  m: { name: 'minute', ms: 60_000 },
  h: { name: 'hour', ms: 3_600_000 },
  d: { name: 'day', ms: 86_400_000 },
  w: { name: 'week', ms: 604_800_000 },
} as const;

/** `15m` → `every 15 minutes` */
export function refreshText(refresh: string | null): string {
  if (refresh === null) return 'manually';
  if (refresh === LIVE) return 'live';
  const amount = Number.parseInt(refresh, 10);
  const { name } = REFRESH_UNITS[unitOf(refresh)];
  return amount === 1 ? `every ${name}` : `every ${amount} ${name}s`;
}

function unitOf(refresh: string): keyof typeof REFRESH_UNITS {
  const unit = refresh.at(-1) ?? '';
  return unit in REFRESH_UNITS ? (unit as keyof typeof REFRESH_UNITS) : 'd';
}

/** How many users there were after an update. */
type Size = Pick<HistoryEntry, 'at' | 'count'>;

/** The size now less that of a day ago; undefined where the audience had none then. */
export function changeOfDay(history: readonly Size[], nowMs: number): number | undefined {
  const [newest] = history;
  const before = history.find(({ at }) => Date.parse(at) <= nowMs - DAY_MS);
  return newest === undefined || before === undefined ? undefined : countOf(newest.count) - countOf(before.count);
}

/** `+12`, `−3`, `±0` */
export function changeText(change: number): string {
  return change === 0 ? '±0' : signedCount(change);
}

/**
 * The size at even steps, the newest last; those before the first evaluation are left out.
 *
 * @param history Newest first.
 */
export function seriesOf(history: readonly Size[], untilMs: number, stepMs: number, steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => untilMs - (steps - 1 - i) * stepMs).flatMap((atMs) => {
    const entry = history.find(({ at }) => Date.parse(at) <= atMs);
    return entry === undefined ? [] : [countOf(entry.count)];
  });
}

/** A description, line by line, beside the one before it: nothing is marked where there was none. */
export function changedLines(after: string, before = after): readonly DiffLine[] {
  return lineDiff(before.split('\n'), after.split('\n'));
}
