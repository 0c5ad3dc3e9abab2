/** Reads the definition of an audience from a request's body: returns the audience, or every problem (schemas/audience.json). */
import type { Problem } from '../../messages/message.ts';
import { type Audience, type AudienceReference, type Condition, type ConditionOf, numberConstant } from './audience.ts';
import type { SampleCondition, TraitCondition, UsersCondition } from './audience.ts';
import { MAX_CONDITIONS, MAX_GROUP_DEPTH, MAX_VALUES_TOGETHER } from './limits.ts';
import { readMember } from '../operators/operators.ts';
import { readEvent } from './read-event.ts';
import { type Consulted, Reading, type Warning } from './reading.ts';

export type ReadDefinition =
  | { readonly ok: true; readonly definition: Audience; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface ReadingOptions extends Consulted {
  /** The project's, for dates without an offset. */
  readonly timezone: string;
  /** The pointer to the definition in its document, such as `/definition`. Default: the definition is the document. */
  readonly path?: string;
  /** Whether it is one that was saved. Default: no. */
  readonly isSaved?: boolean;
}

type ReadCondition<K extends Condition['kind']> = (
  reading: Reading,
  node: Record<string, unknown>,
  path: string,
) => ConditionOf<K> | undefined;

const CONDITIONS: { readonly [K in Condition['kind']]: ReadCondition<K> } = {
  trait: readTrait,
  event: readEvent,
  sample: readSample,
  users: readUsers,
};
const GROUPS = ['all', 'any', 'not', 'audience'] as const;
const KINDS = [...GROUPS, ...(Object.keys(CONDITIONS) as Condition['kind'][])];

/**
 * Reads the JSON of a definition as `parseBody` gives it: `exact`, so that a number which no double holds is compared
 * digit for digit. Pure. Problems, at most 100, carry RFC 6901 pointers.
 */
export function readDefinition(
  body: unknown,
  { timezone, path = '', isSaved, ...consulted }: ReadingOptions,
): ReadDefinition {
  const reading = new Reading(timezone, consulted, isSaved);
  const definition = readNode(reading, body, path, 1);
  const { problems, warnings } = reading;
  return definition === undefined || problems.length > 0 ? { ok: false, problems } : { ok: true, definition, warnings };
}

/** @param depth 1 for the outermost node. */
export function readNode(reading: Reading, body: unknown, path: string, depth: number): Audience | undefined {
  const node = reading.object(body, path);
  if (node === undefined) return undefined;
  const [kind, ...others] = KINDS.filter((key) => Object.hasOwn(node, key));
  if (kind === undefined || others.length > 0) return reading.refuse(path, `needs one of ${KINDS.join(', ')}`);
  if (kind !== 'all' && kind !== 'any' && kind !== 'not') {
    if (!reading.countCondition(path)) return undefined;
    return kind === 'audience' ? readReference(reading, node, path) : CONDITIONS[kind](reading, node, path);
  }
  if (depth > MAX_GROUP_DEPTH) return reading.refuse(path, `is nested deeper than ${MAX_GROUP_DEPTH} groups`);
  reading.onlyKeys(node, [kind], path);
  return kind === 'not'
    ? readNot(reading, node['not'], path, depth)
    : readGroup(reading, kind, node[kind], path, depth);
}

function readTrait(reading: Reading, node: Record<string, unknown>, path: string): TraitCondition | undefined {
  const member = readMember(reading, 'trait', node, path);
  return member && { kind: 'trait', ...member };
}

function readNot(reading: Reading, body: unknown, path: string, depth: number): Audience | undefined {
  const of = readNode(reading, body, `${path}/not`, depth + 1);
  return of && { kind: 'not', of };
}

/** The definition of the other audience is read as that of this one, so that both are asked at one instant, in one query. */
function readReference(reading: Reading, node: Record<string, unknown>, path: string): AudienceReference | undefined {
  reading.onlyKeys(node, ['audience'], path);
  const at = `${path}/audience`;
  const id = reading.text(node['audience'], at, 1);
  if (id === undefined) return undefined;
  const found = reading.audiences.get(id);
  if (found === undefined) return reading.refuse(at, 'is not the id of a saved audience of this project');
  if (reading.referring.includes(id)) return reading.refuse(at, 'refers to itself');
  if (reading.referring.length === MAX_GROUP_DEPTH)
    return reading.refuse(at, `is the end of a chain of more than ${MAX_GROUP_DEPTH} audiences`);
  reading.referring.push(id);
  const of = readNode(reading, found.definition, at, 1);
  reading.referring.pop();
  return of && { kind: 'audience', id, name: found.name, of };
}

function readGroup(
  reading: Reading,
  kind: 'all' | 'any',
  body: unknown,
  path: string,
  depth: number,
): Audience | undefined {
  const items = reading.list(body, `${path}/${kind}`, MAX_CONDITIONS);
  const of = items?.map((item, index) => readNode(reading, item, `${path}/${kind}/${index}`, depth + 1));
  return of?.every((node) => node !== undefined) ? { kind, of } : undefined;
}

function readSample(
  reading: Reading,
  node: Readonly<Record<string, unknown>>,
  path: string,
): SampleCondition | undefined {
  reading.onlyKeys(node, ['sample'], path);
  const at = `${path}/sample`;
  const sample = reading.object(node['sample'], at);
  if (!sample) return undefined;
  reading.onlyKeys(sample, ['percent', 'seed'], at);
  const hundredths = readHundredths(reading, sample['percent'], `${at}/percent`);
  const seed = reading.text(sample['seed'], `${at}/seed`, 1);
  return hundredths === undefined || seed === undefined ? undefined : { kind: 'sample', hundredths, seed };
}

function readUsers(
  reading: Reading,
  node: Readonly<Record<string, unknown>>,
  path: string,
): UsersCondition | undefined {
  reading.onlyKeys(node, ['users'], path);
  const at = `${path}/users`;
  const members = reading.list(node['users'], at, MAX_VALUES_TOGETHER);
  if (!members || !reading.countValues(members.length, at)) return undefined;
  const ids = members.map((member, index) => reading.text(member, `${at}/${index}`, 1));
  return ids.every((id) => id !== undefined) ? { kind: 'users', ids } : undefined;
}

/** A percentage in hundredths. The double that is nearest to a decimal comes of dividing its hundredths, and of no other. */
function readHundredths(reading: Reading, value: unknown, path: string): number | undefined {
  const percent = numberConstant(value)?.double ?? 0;
  const hundredths = Math.round(percent * 100);
  const isShare = hundredths >= 1 && hundredths <= 10_000 && hundredths / 100 === percent;
  return isShare ? hundredths : reading.refuse(path, 'is not a number from 0.01 to 100 with at most two decimals');
}
