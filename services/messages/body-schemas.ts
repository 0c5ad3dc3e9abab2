/** The schemas of request bodies (schemas/http), compiled once, and what they find said in our words. */

import { type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addEvent from '../../schemas/http/add-event.json' with { type: 'json' };
import batchItem from '../../schemas/http/batch-item.json' with { type: 'json' };
import batch from '../../schemas/http/batch.json' with { type: 'json' };
import definitions from '../../schemas/http/definitions.json' with { type: 'json' };
import identify from '../../schemas/http/identify.json' with { type: 'json' };
import projectUser from '../../schemas/http/project-user.json' with { type: 'json' };
import sdkCall from '../../schemas/http/sdk-call.json' with { type: 'json' };
import track from '../../schemas/http/track.json' with { type: 'json' };
import { firstByPath, pointerTo } from './unacceptable.ts';
import type { Problem } from './message.ts';

// Collecting every error is safe here: no pattern can backtrack, and an error needs a member that we define.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, schemas: [definitions] });

const SCHEMAS = {
  identify: ajv.compile(identify),
  track: ajv.compile(track),
  sdkCall: ajv.compile(sdkCall),
  batch: ajv.compile(batch),
  batchItem: ajv.compile(batchItem),
  // In the interface's own form: the other types are those of SDKs.
  ownBatchItem: ajv.compile({
    ...batchItem,
    $id: 'own-batch-item.json',
    properties: { type: { enum: ['identify', 'track'] } },
  }),
  projectUser: ajv.compile(projectUser),
  addEvent: ajv.compile(addEvent),
} satisfies Record<string, ValidateFunction>;

export type BodySchema = keyof typeof SCHEMAS;

const OF_EVERY_CALL = [...Object.keys(definitions.$defs.call.properties), ...Object.keys(batchItem.properties)];

/** The members that a call may have, and `type`, which an item of a batch has besides. */
export const CALL_MEMBERS = {
  identify: [...OF_EVERY_CALL, ...Object.keys(identify.properties)],
  track: [...OF_EVERY_CALL, ...Object.keys(track.properties)],
};

export function isValid(schema: BodySchema, value: unknown): boolean {
  return SCHEMAS[schema](value);
}

/** What is wrong with `value`, which stands at `place` (a pointer) of the body: one problem a member, none if all is well. */
export function problemsWith(schema: BodySchema, value: unknown, place: string): Problem[] {
  const validate: ValidateFunction = SCHEMAS[schema];
  if (validate(value)) return [];
  // Why each alternative failed would only confuse: the anyOf itself reports that none fits.
  const relevant = (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
  return firstByPath(relevant.map((error) => ({ path: place + pathOf(error), message: messageOf(error) })));
}

function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return instancePath + pointerTo([String(params.missingProperty)]);
  return keyword === 'anyOf' ? `${instancePath}/user_id` : instancePath;
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
    case 'anyOf':
      return 'is missing';
    case 'minLength':
    case 'minItems':
      return 'must not be empty';
    case 'maxLength':
      return `must be at most ${String(params.limit)} characters`;
    case 'maxProperties':
      return `must have at most ${String(params.limit)} members`;
    case 'enum':
      return `must be one of ${(params.allowedValues as string[]).join(', ')}`;
    default:
      return message ?? `fails ${keyword}`;
  }
}
