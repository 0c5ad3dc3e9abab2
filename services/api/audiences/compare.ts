import { budgetOf } from '../../questions/query-budget.ts';
import { compareAudiences, type Comparison, type UserGroup } from '../../questions/audiences.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import { readDefinition, type ReadingOptions } from '../../questions/definition/definition.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import { definitionOf } from '../../questions/saved/references.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { type Members, readBody } from '../input.ts';
import { contextOf, type QueryRequest } from '../query.ts';
import { idsJson } from '../users/traits-of-users.ts';
import { findAudienceOf, NO_AUDIENCE } from './saved.ts';

export interface CompareParts {
  readonly generations: Pick<AdminPorts['generations'], 'expectJoins'>;
}

/** `POST /v1/audiences/compare` */
export async function answerCompare(
  parts: QuestionParts & CompareParts,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const { project } = call;
  const references = { timezone: project.timezone, ...(await consult(parts, project, call.text)) };
  const read = readBody('POST /v1/audiences/compare', call, (exact) => readForms(exact, references));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  const before = await definitionFrom(parts, call, also.from);
  if (before === undefined) return NO_AUDIENCE;
  const { sample: sampleSize, to_join_ids: toJoins } = body;
  if (toJoins === true && !project.joinIds) await parts.generations.expectJoins(project.id);
  const options = { ...contextOf(project), sampleSize, toJoins };
  return compareAnswer(await compareAudiences(budgetOf(parts, project), before, also.to ?? before, options));
}

/** The two forms name the definitions before and after the change. */
const FORMS = [
  ['audience', 'definition'],
  ['from', 'to'],
] as const;

type ReadForms =
  /** `from` is the id of a saved audience, or a definition. `to` is undefined where it stays. */
  | { readonly ok: true; readonly from: string | Audience; readonly to: Audience | undefined }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function readForms(body: Members, options: ReadingOptions): ReadForms {
  const [[before, after] = FORMS[0], other] = FORMS.filter((names) => names.some((name) => name in body));
  const from =
    before === 'audience' ? readId(body[before]) : readDefinition(body[before], { ...options, path: '/from' });
  const stays = 'to_join_ids' in body && !(after in body);
  const to = stays
    ? { ok: true as const, definition: undefined }
    : readDefinition(body[after], { ...options, path: `/${after}` });
  if (from.ok && to.ok && other === undefined) return { ok: true, from: from.definition, to: to.definition };
  const problems = [from, to].flatMap((read) => (read.ok ? [] : read.problems));
  return { ok: false, problems: other === undefined ? problems : [BOTH_FORMS, ...problems] };
}

const BOTH_FORMS = { path: '', message: 'has members of both forms: audience and definition, or from and to' };

type ReadId =
  { readonly ok: true; readonly definition: string } | { readonly ok: false; readonly problems: readonly Problem[] };

function readId(id: unknown): ReadId {
  if (typeof id === 'string') return { ok: true, definition: id };
  return { ok: false, problems: [{ path: '/audience', message: 'is not the id of a saved audience' }] };
}

/** Undefined if the project has no such audience. */
async function definitionFrom(
  { saved }: QuestionParts,
  call: QueryRequest,
  from: string | Audience,
): Promise<Audience | undefined> {
  if (typeof from !== 'string') return from;
  const audience = await findAudienceOf({ saved }, call.project.id, from);
  return audience && definitionOf(saved, audience, call.project);
}

function compareAnswer({ evaluatedAt, fromCount, toCount, tookMs, rowsRead, ...groups }: Comparison): Answer {
  const body = {
    evaluated_at: formatMicros(evaluatedAt),
    from: { count: fromCount },
    to: { count: toCount },
    entering: groupJson(groups.entering),
    leaving: groupJson(groups.leaving),
    staying: groupJson(groups.staying),
    took_ms: Math.round(tookMs),
    rows_read: rowsRead,
  };
  return { status: 200, body: JSON.stringify(body) };
}

function groupJson({ count, sample }: UserGroup): object {
  return { count, sample: sample.map(idsJson) };
}
