/** What of an installation wants attention, from one look to the next. Pure. */
import { formatMs } from '../../messages/timestamp.ts';
import type { Concern, Finding, WatchMessage } from './watch.ts';

/** What wants attention, or does no more, is told of once two looks in turn have seen so: starts and hiccups are not. */
export function nextFindings(
  before: readonly Finding[],
  now: readonly Concern[],
  nowMs: number,
): { readonly findings: readonly Finding[]; readonly messages: readonly WatchMessage[] } {
  const absent = new Map(before.map((one) => [nameOfConcern(one), one]));
  const messages: WatchMessage[] = [];
  const there = now.map((one): Finding => {
    const { sinceMs = nowMs, state } = absent.get(nameOfConcern(one)) ?? {};
    absent.delete(nameOfConcern(one));
    if (state === 'new') messages.push(...concernMessages({ ...one, sinceMs }, null));
    return { ...one, sinceMs, state: state === undefined ? 'new' : 'raised' };
  });
  for (const one of absent.values()) if (one.state === 'gone') messages.push(...concernMessages(one, formatMs(nowMs)));
  const gone = [...absent.values()].filter(({ state }) => state === 'raised');
  return { findings: [...there, ...gone.map((one) => ({ ...one, state: 'gone' as const }))], messages };
}

/** The installation is told of everything, a project of what is its own. */
function concernMessages(finding: Omit<Finding, 'state'>, endedAt: string | null): readonly WatchMessage[] {
  const { sinceMs, code, reason, link, object_id, project_id = null } = finding;
  const text = endedAt === null ? `Needs attention: ${reason}.` : `No longer: ${reason}.`;
  const data = { project_id, code, object_id, reason, link, raised_at: formatMs(sinceMs), ended_at: endedAt, text };
  const type = endedAt === null ? 'attention.raised' : 'attention.ended';
  return [null, ...(project_id === null ? [] : [project_id])].map((projectId) => ({ type, projectId, data }));
}

function nameOfConcern({ code, object_id: id = '' }: Concern): string {
  return `${code} ${id}`;
}
