/** How states, sizes and durations are worded on the screens of replays and imports. */
import type { GenerationKind, JobState } from '../../api/imports.ts';
import { countOf, type RawNumber } from '../../api/json.ts';
import { count } from '../../parts/numbers.ts';

export const GENERATIONS_PATH = 'v1/admin/generations';

export const KINDS: Readonly<Record<GenerationKind, string>> = { profiles: 'Profiles', analytics: 'Analytics' };

export const STATES: Readonly<Record<JobState, string>> = {
  queued: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Stopped',
  interrupted: 'Interrupted',
};

export function isOver(state: JobState): boolean {
  return state !== 'queued' && state !== 'running';
}

export function counted(value: RawNumber | null | undefined): string {
  return value === null || value === undefined ? '0' : count(countOf(value));
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** `1.4 MB` */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? count(Math.round(value)) : value.toFixed(1)} ${UNITS[step] ?? ''}`;
}

/** `40 seconds`, `3 minutes`, `2 hours` */
export function durationText(seconds: number): string {
  if (seconds < 90) return seconds <= 1 ? 'a second' : `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

/** `1 line`, `2 lines` */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
