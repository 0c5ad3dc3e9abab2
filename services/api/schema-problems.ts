/** What a schema finds wrong, in words: what was expected, and what came. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { TYPE_NAMES } from '../../schemas/type-names.ts';
import type { Problem } from '../messages/message.ts';
import { firstByPath, pointerTo } from '../messages/unacceptable.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: object;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
}

/**
 * The problems of the last value that was validated, one a place. The schema must be compiled with `verbose`. What fits none
 * of several forms is left out: why each does not fit would only confuse.
 */
export function problemsOf({ errors }: Pick<ValidateFunction, 'errors'>): readonly Problem[] {
  const relevant = (errors ?? []).filter((one) => one.keyword !== 'if' && !/\/(?:any|one)Of\b/.test(one.schemaPath));
  return firstByPath(relevant.map((error) => ({ path: pathOf(error), message: messageOf(error) })));
}

function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return instancePath + pointerTo([String(params['missingProperty'])]);
  if (keyword === 'additionalProperties') return instancePath + pointerTo([String(params['additionalProperty'])]);
  return instancePath;
}

function messageOf({ keyword, parentSchema, data, message = '' }: ErrorObject): string {
  if (keyword.startsWith('min') && (data as { readonly length?: number }).length === 0) return 'must not be empty';
  return WORDINGS[keyword]?.(parentSchema as Schema, data) ?? message;
}

type Wording = (schema: Schema, data: unknown) => string;

const ofKind: Wording = (schema, data) => `must be ${kindsOf(schema)}, not ${shown(data)}`;
const ofLength: Wording = ({ minLength = 0, maxLength }, data) =>
  `must have ${rangeOf(minLength, maxLength)} characters, not ${Array.from(String(data)).length}`;
const ofItems: Wording = ({ minItems = 0, maxItems }, data) =>
  `must have ${rangeOf(minItems, maxItems)} members, not ${(data as unknown[]).length}`;
const ofProperties: Wording = ({ minProperties = 0, maxProperties }) =>
  `must have ${rangeOf(minProperties, maxProperties)} members`;

const WORDINGS: Readonly<Record<string, Wording>> = {
  required: () => 'is required',
  'false schema': () => 'does not belong here',
  additionalProperties: ({ properties = {} }) => `is unknown here; known are: ${Object.keys(properties).join(', ')}`,
  type: ofKind,
  minimum: ofKind,
  maximum: ofKind,
  minLength: ofLength,
  maxLength: ofLength,
  minItems: ofItems,
  maxItems: ofItems,
  minProperties: ofProperties,
  maxProperties: ofProperties,
  enum: ({ enum: values = [] }, data) => `must be one of ${values.map(String).join(', ')}, not ${shown(data)}`,
  pattern: ({ pattern = '' }, data) =>
    `must be ${PATTERNS[pattern] ?? `a text of the pattern ${pattern}`}, not ${shown(data)}`,
};

const PATTERNS: Readonly<Record<string, string>> = {
  '^[0-9a-f]{64}$': '64 hexadecimal digits',
  '^file_[0-9a-f]{20}$': 'the id of an uploaded file',
  '^/': 'an absolute path',
  '^[\\t !#-~]$': 'one ASCII character, and no quote',
  '^\\d{1,6}[mhdw]$': 'a time such as 15m, 1h, 1d or 1w',
};

function kindsOf({ type = [], minimum, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  const kinds = [type].flat().map((kind) => TYPE_NAMES[kind] ?? kind);
  const most = maximum === Number.MAX_SAFE_INTEGER ? 'up' : `to ${maximum}`;
  const range = minimum === undefined ? '' : ` from ${minimum} ${most}`;
  return kinds.map((kind) => (kind.endsWith('number') ? kind + range : kind)).join(' or ');
}

function rangeOf(least: number, most: number | undefined): string {
  if (most === undefined) return `at least ${least}`;
  return least === 0 ? `at most ${most}` : `${least} to ${most}`;
}

const SHOWN_CHARS = 64;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`;
}
