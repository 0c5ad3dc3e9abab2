/** How states, sizes and durations are worded on the screens of replays and imports. */
import type { Generation, ImportJob } from '../../api/types.ts';

export const KINDS: Readonly<Record<Generation['kind'], string>> = { profiles: 'Profiles', analytics: 'Analytics' };

export const STATES: Readonly<Record<ImportJob['state'], string>> = {
  queued: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Stopped',
  interrupted: 'Interrupted',
};

export function isOver(state: ImportJob['state']): boolean {
  return state !== 'queued' && state !== 'running';
}

/** `40 seconds`, `3 minutes`, `2 hours` */
export function durationText(seconds: number): string {
  if (seconds < 90) return seconds <= 1 ? 'a second' : `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
