import type { Audiences } from '../audience/audiences.ts';
import { MAX_SAMPLE } from '../audience/compile.ts';
import { readDefinition } from '../audience/definition.ts';
import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import { parseBody } from '../messages/json.ts';
import type { Problem } from '../messages/message.ts';

/** What is asked about audiences. */
export interface AudienceParts {
  readonly audiences: Pick<Audiences, 'preview'>;
}

const DEFAULT_SAMPLE = 10;

/** `POST /v1/audiences/preview` */
export async function answerPreview({ audiences }: AudienceParts, call: Call): Promise<Answer | Refusal> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return invalid('invalid-body', parsed.problems);
  const { plain, exact } = parsed.value;
  if (!isObject(plain) || !isObject(exact)) return invalid('invalid-body', [{ path: '', message: 'is not an object' }]);
  const { id, timezone } = call.project;
  const read = readDefinition(exact['definition'], { timezone, path: '/definition' });
  const { sample = DEFAULT_SAMPLE } = plain;
  const problems = [...(read.ok ? [] : read.problems), ...problemsWithSample(sample)];
  if (!read.ok || problems.length > 0) return invalid('invalid-body', problems);
  const { count, sample: userIds, tookMs, rowsRead } = await audiences.preview(id, read.definition, Number(sample));
  return { status: 200, body: JSON.stringify({ count, sample: userIds, took_ms: tookMs, rows_read: rowsRead }) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

function problemsWithSample(sample: unknown): Problem[] {
  if (typeof sample === 'number' && Number.isInteger(sample) && sample >= 0 && sample <= MAX_SAMPLE) return [];
  return [{ path: '/sample', message: `is not a whole number from 0 to ${MAX_SAMPLE}` }];
}
