import type { Audience } from '../../questions/definition/audience.ts';
import { looksBefore } from '../../questions/definition/looks-before.ts';
import type { Warning } from '../../questions/definition/reading.ts';
import { microsAt } from '../../messages/timestamp.ts';
import { keptFrom } from '../../stores/projects/kept-events.ts';

/** Warns of the conditions that look at events which the project no longer keeps. @param path Where the definition stands. */
export function beyondKept(
  project: Parameters<typeof keptFrom>[0],
  definition: Audience,
  path: string,
): readonly Warning[] {
  const nowMs = Date.now();
  const kept = keptFrom(project, nowMs);
  if (kept === undefined) return [];
  const message = `looks further back than ${kept.day}, the first day whose events are kept`;
  return looksBefore(definition, path, kept.from, microsAt(nowMs)).map((at) => ({ path: at, message }));
}
