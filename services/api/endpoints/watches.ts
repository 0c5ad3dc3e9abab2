/** Watches: numbers that call. */
import { BODY_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Route } from '../../http/route.ts';
import { formatMs } from '../../messages/timestamp.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import type { SqlWatchStore } from '../../questions/watches/sql-watch-store.ts';
import { readWatch, type Watch } from '../../questions/watches/watch.ts';
import type { SqlEndpointStore } from '../../webhooks/sql-endpoint-store.ts';
import { isTopicUrl } from '../../webhooks/topic.ts';
import { readBody, route } from '../input.ts';
import { isUnreadable, UNREADABLE_NAME } from '../pins-and-notes.ts';
import { refuseBody } from '../query.ts';
import { READ } from '../route-parts.ts';

export interface WatchRouteParts {
  readonly watches: SqlWatchStore;
}

export type WatchAnswerParts = WatchRouteParts & QuestionParts & { readonly endpoints: Pick<SqlEndpointStore, 'find'> };

export function watchRoutes(parts: WatchAnswerParts): Route[] {
  const { watches } = parts;
  const change = { ...READ, scope: 'audiences' } as const;
  return [
    route('GET /v1/watches', READ, async ({ project }) => {
      const all = (await watches.list(project.id)).map(watchJson);
      return { status: 200, body: `{"watches":[${all.join(',')}]}` };
    }),
    route(
      'PUT /v1/watches/{name}',
      { ...change, bodyLimitBytes: BODY_LIMIT_BYTES },
      async (call, { path: { name } }) => {
        const { project, text } = call;
        if (isUnreadable(name)) return UNREADABLE_NAME;
        const consulted = await consult(parts, project, text);
        const read = readBody('PUT /v1/watches/{name}', call, (exact) => {
          const { question, rule, endpoints = null } = exact;
          const watch = readWatch(exact, project.timezone, consulted);
          return watch.ok ? { ok: true, definition: JSON.stringify({ question, rule, endpoints }) } : watch;
        });
        if (!read.ok) return read.refusal;
        const { body, also } = read.value;
        for (const [at, id] of (body.endpoints ?? []).entries()) {
          if (isTopicUrl((await parts.endpoints.find(project.id, id)).url))
            return refuseBody([{ path: `/endpoints/${at}`, message: 'is a topic, which is told of no watch' }]).refusal;
        }
        const watch = await watches.save(project.id, name, also.definition);
        const audit = { action: 'watch.save', object: name, after: also.definition };
        return { status: 200, body: watchJson(watch), audit };
      },
    ),
    route('DELETE /v1/watches/{name}', change, async ({ project }, { path: { name } }) => {
      if (!(await watches.remove(project.id, name))) return NO_WATCH;
      const audit = { action: 'watch.delete', object: name };
      return { status: 200, body: JSON.stringify({ name, deleted: true }), audit };
    }),
  ];
}

const NO_WATCH: Refusal = { refused: 'not-found', detail: 'This project has no such watch.' };

/** Conditions keep every digit: they go in as they were sent. */
function watchJson({ name, definition, state, failure }: Watch): string {
  const { raisedAtMs = null, evaluatedAtMs = null, value = null, before = null } = state;
  const found = {
    state: raisedAtMs !== null ? 'raised' : evaluatedAtMs === null ? 'waiting' : 'ok',
    raised_at: raisedAtMs === null ? null : formatMs(raisedAtMs),
    value,
    before,
    evaluated_at: evaluatedAtMs === null ? null : formatMs(evaluatedAtMs),
    failure,
  };
  return `{"name":${JSON.stringify(name)},${definition.slice(1, -1)},${JSON.stringify(found).slice(1)}`;
}
