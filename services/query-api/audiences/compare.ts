import type { Comparison, UserGroup } from '../../audience/audiences.ts';
import type { Audience } from '../../audience/definition/audience.ts';
import { readDefinition } from '../../audience/definition/definition.ts';
import { isJsonObject } from '../../audience/definition/reading.ts';
import { definitionOf } from '../../audience/saved/audience-scheduler.ts';
import type { AudienceStore } from '../../audience/saved/audience-store.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { parseBody } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { type Checked, type QueryRequest, refuseBody } from '../query.ts';
import { type AudienceParts, DEFAULT_SAMPLE, problemsWithSample, userJson } from './questions.ts';
import { findAudienceOf, NO_AUDIENCE } from './saved.ts';

export interface CompareParts extends AudienceParts {
  readonly saved: Pick<AudienceStore, 'find'>;
}

/** `POST /v1/audiences/compare` */
export async function answerCompare(parts: CompareParts, call: QueryRequest): Promise<Answer | Refusal> {
  const body = readComparison(call);
  if (!body.ok) return body.refusal;
  const { from, to, sampleSize } = body.value;
  const before = await definitionFrom(parts, call, from);
  if (before === undefined) return NO_AUDIENCE;
  const { project } = call;
  return compareAnswer(await parts.audiencesOf(project).compare(project.id, before, to, sampleSize));
}

interface ComparisonBody {
  /** The id of a saved audience, or a definition. */
  readonly from: string | Audience;
  readonly to: Audience;
  readonly sampleSize: number;
}

/** The two forms name the definitions before and after the change. */
const FORMS = [
  ['audience', 'definition'],
  ['from', 'to'],
] as const;

function readComparison({ text, project: { timezone } }: QueryRequest): Checked<ComparisonBody> {
  const parsed = parseBody(text);
  if (!parsed.ok) return refuseBody(parsed.problems);
  const { plain, exact } = parsed.value;
  if (!isJsonObject(plain) || !isJsonObject(exact)) return refuseBody([{ path: '', message: 'is not an object' }]);
  const { sample = DEFAULT_SAMPLE } = plain;
  const [form = FORMS[0], other] = FORMS.filter((names) => names.some((name) => exact[name] !== undefined));
  const [before, after] = form;
  const from =
    before === 'audience' ? readId(exact[before]) : readDefinition(exact[before], { timezone, path: '/from' });
  const to = readDefinition(exact[after], { timezone, path: `/${after}` });
  const problems: Problem[] = [
    ...(other === undefined
      ? []
      : [{ path: '', message: 'has members of both forms: audience and definition, or from and to' }]),
    ...(from.ok ? [] : from.problems),
    ...(to.ok ? [] : to.problems),
    ...problemsWithSample(sample),
  ];
  if (!from.ok || !to.ok || problems.length > 0) return refuseBody(problems);
  return { ok: true, value: { from: from.definition, to: to.definition, sampleSize: Number(sample) } };
}

type ReadId =
  { readonly ok: true; readonly definition: string } | { readonly ok: false; readonly problems: readonly Problem[] };

function readId(id: unknown): ReadId {
  if (typeof id === 'string') return { ok: true, definition: id };
  return { ok: false, problems: [{ path: '/audience', message: 'is not the id of a saved audience' }] };
}

/** Undefined if the project has no such audience. */
async function definitionFrom(
  { saved }: CompareParts,
  call: QueryRequest,
  from: string | Audience,
): Promise<Audience | undefined> {
  if (typeof from !== 'string') return from;
  const audience = await findAudienceOf({ saved }, call.project.id, from);
  return audience && definitionOf(audience, call.project);
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
  return { count, sample: sample.map(userJson) };
}
