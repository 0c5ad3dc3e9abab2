import { type AnalyticsParts, budgetOf } from '../../questions/query-budget.ts';
import { previewAudience } from '../../questions/audiences.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import { type WarningParts, unseenIn } from '../../questions/catalog/unseen.ts';
import { ignoringCase } from '../../questions/definition/letter-case.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { type ReadDefinition, readDefinition } from '../../questions/definition/definition.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import { definitionOf } from '../../questions/saved/references.ts';
import type { Warning } from '../../questions/definition/reading.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { type Members, readBody } from '../input.ts';
import { contextOf, type QueryRequest, refuseBody, refuseParameter } from '../query.ts';
import { withWarnings } from './audience-json.ts';
import { beyondKept } from './kept-events.ts';
import { type TraitChoice, readTraitChoice } from '../../stores/profiles/trait-choice.ts';
import { idsJson, textsWithTraits } from '../users/traits-of-users.ts';
import { readOfAudience } from './saved.ts';
import type { TraitsParts } from './user-lines.ts';

/** `POST /v1/audiences/preview` */
export async function answerPreview(parts: PreviewParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/preview', call, await definitionIn(parts, call));
  if (!read.ok) return read.refusal;
  const { also, body } = read.value;
  const traits = readTraitChoice(body.traits);
  if (!traits.ok) return refuseBody([{ path: '/traits', message: traits.message }]).refusal;
  const chosen = { sample: body.sample, traits: traits.value };
  const { definition } = also;
  const unseen = unseenIn(parts.catalog, call.project, definition, DEFINITION_PATH);
  const found = await previewOf(parts, call, definition, chosen);
  const warnings = [...also.warnings, ...beyondKept(call.project, definition, DEFINITION_PATH), ...(await unseen)];
  if (found.count === 0 && warnings.length === 0) warnings.push(...(await otherCase(parts, call, definition)));
  return { status: 200, body: withWarnings(found.body, warnings) };
}

/** Nobody is found, and somebody would be if upper and lower case were the same: what is asked once more then. */
async function otherCase(
  parts: AnalyticsParts,
  { project }: QueryRequest,
  definition: Audience,
): Promise<readonly Warning[]> {
  const folded = ignoringCase(definition);
  if (folded === undefined) return [];
  try {
    const { count } = await previewAudience(budgetOf(parts, project), folded, { ...contextOf(project), sampleSize: 0 });
    const message = `finds nobody, and ${count} with "ignore_case": true beside its texts`;
    return count === 0 ? [] : [{ path: DEFINITION_PATH, message }];
  } catch (error) {
    // A warning is no reason to refuse what was counted.
    if (error instanceof TidemarkError) return [];
    throw error;
  }
}

type PreviewParts = QuestionParts & TraitsParts & WarningParts;

/** Where the definition stands in a question. */
export const DEFINITION_PATH = '/definition';

/** Reads the definition in the body of a question. */
export async function definitionIn(
  parts: QuestionParts,
  { project, text }: QueryRequest,
): Promise<(body: Members) => ReadDefinition> {
  const options = { timezone: project.timezone, path: DEFINITION_PATH, ...(await consult(parts, project, text)) };
  return ({ definition }) => readDefinition(definition, options);
}

/** `GET /v1/audiences/:id/preview` */
export async function answerSavedPreview(parts: PreviewParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/preview', parts, call);
  if ('refused' in read) return read;
  const traits = readTraitChoice(read.query.traits);
  if (!traits.ok) return refuseParameter('traits', traits.message).refusal;
  const chosen = { sample: read.query.sample, traits: traits.value };
  const definition = await definitionOf(parts.saved, read.audience, call.project);
  const { body } = await previewOf(parts, call, definition, chosen);
  return { status: 200, body: withWarnings(body, beyondKept(call.project, definition, DEFINITION_PATH)) };
}

interface SampleChoice {
  readonly sample: number;
  readonly traits: TraitChoice;
}

async function previewOf(
  parts: PreviewParts,
  { project }: QueryRequest,
  definition: Audience,
  chosen: SampleChoice,
): Promise<{ readonly count: number; readonly body: string }> {
  const options = { ...contextOf(project), sampleSize: chosen.sample };
  const found = await previewAudience(budgetOf(parts, project), definition, options);
  const { count, sample, sampleUsers, tookMs, rowsRead } = found;
  const users = await textsWithTraits(parts, project.id, sampleUsers, chosen.traits, (user) =>
    JSON.stringify(idsJson(user)),
  );
  const head = JSON.stringify({ count, sample }).slice(0, -1);
  const end = JSON.stringify({ took_ms: Math.round(tookMs), rows_read: rowsRead }).slice(1);
  return { count, body: `${head},"sample_users":[${users.join(',')}],${end}` };
}
