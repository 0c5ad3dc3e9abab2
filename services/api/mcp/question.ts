import { readDefinition } from '../../questions/definition/definition.ts';
import { describePeriod } from '../../questions/definition/describe-period.ts';
import { describe, describeEvents, describeLines } from '../../questions/definition/describe.ts';
import {
  type EventFilter,
  type Measure,
  type QuestionOrProblems,
  type QuestionText,
  readCountsQuestion,
  readEventsQuestion,
} from '../../questions/events/read-question.ts';
import { quotedPath } from '../../questions/operators/operators.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import { namesReferredTo, parsedDefinition } from '../../questions/saved/references.ts';
import { definitionJson } from '../audiences/audience-json.ts';
import { type FunnelQuestion, readFunnel } from '../../questions/events/read-funnel.ts';
import { findAudience } from '../audiences/saved.ts';
import type { Members } from '../input.ts';
import type { QueryRequest } from '../query.ts';

type Question = FunnelQuestion | (EventFilter & { readonly measure?: Measure });

const READERS: Readonly<Record<string, (question: QuestionText) => QuestionOrProblems<Question>>> = {
  '/v1/events/counts': readCountsQuestion,
  '/v1/events/query': readEventsQuestion,
  '/v1/funnels': readFunnel,
};

/** What was counted, as JSON text: its `definition`, and that in English. Undefined for what asks no question. */
export async function questionOf(parts: QuestionParts, call: QueryRequest, path: string): Promise<string | undefined> {
  const { project, text } = call;
  if (path.startsWith('/v1/audiences/:id/')) {
    const audience = await findAudience(parts, call);
    if (audience === undefined) return undefined;
    return `{${definitionJson(audience, project, await namesReferredTo(parts.saved, project.id, [audience]))}}`;
  }
  const body = (parsedDefinition(text) ?? {}) as Members;
  const readQuestion = READERS[path];
  const definition = readQuestion === undefined ? (body['definition'] ?? body['users']) : body;
  if (definition === undefined) return undefined;
  const known = await consult(parts, project, text);
  const read =
    readQuestion?.({ project, text, ...known }) ?? readDefinition(definition, { timezone: project.timezone, ...known });
  if (!read.ok) return undefined;
  const description = 'value' in read ? describeQuestion(read.value) : describeLines(read.definition);
  return JSON.stringify({ definition, description });
}

/** What a question about events lists or counts, in English; whose events on lines of their own. */
export function describeQuestion(question: Question): string {
  const { users } = question;
  const whose = users === null ? '' : `, by those:\n${describeLines(users, '  ')}`;
  if ('sequence' in question) return `how many users came how far as those ${describe(question.sequence)}${whose}`;
  const { measure, within } = question;
  const head = measure === undefined ? 'the times that users did' : describeMeasured(measure);
  return `${head} ${describeEvents(question)}${within ? ` ${describePeriod(within)}` : ''}${whose}`;
}

function describeMeasured(measure: Measure): string {
  if (!('of' in measure)) return measure.kind === 'count' ? 'how many times users did' : 'how many users did';
  const what = measure.kind === 'percentile' ? `percentile ${measure.p}` : measure.kind;
  return `the ${what} of ${quotedPath({ path: measure.of })} of the times that users did`;
}
