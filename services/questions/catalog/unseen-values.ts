/** Values that a test asks for, and that the data never had as far as the catalog knows. Pure. */
import { type CatalogMember, MAX_EXAMPLE_CHARS, type ValueType } from '../../stores/analytics/catalog.ts';
import type { Constant, Measure, Member, Test } from '../definition/audience.ts';
import { isOfText } from '../definition/letter-case.ts';
import { isJsonObject, type Warning } from '../definition/reading.ts';
import { describeConstant } from '../operators/constant.ts';
import { passesAll, quotedPath } from '../operators/operators.ts';
import { parseStoredJson, valueAt } from '../sql/stored-value.ts';
import { Steps } from '../steps.ts';

export interface Seen {
  readonly types: ReadonlySet<ValueType>;
  /** Those that are kept whole. */
  readonly examples: readonly unknown[];
}

/** A trait, or a property of several events, as the catalog has it. Inside objects it is known by the examples; undefined where it is not. */
export function seenAt(members: readonly CatalogMember[], [, ...inner]: Member['path']): Seen | undefined {
  const texts = members.flatMap(({ examples }) => examples).filter((text) => text.length < MAX_EXAMPLE_CHARS);
  const examples = texts.map(parseStoredJson);
  if (inner.length === 0)
    return { types: new Set(members.flatMap(({ types }) => types.map(([type]) => type))), examples };
  const values = examples.map((value) => valueAt(value, inner)).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : { types: new Set(values.map(typeOf)), examples: values };
}

function typeOf(value: unknown): ValueType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isJsonObject(value) ? 'object' : 'number';
}

/** What is summed has to be a number. */
export function unseenNumbers(path: string, measure: Measure, seen: Seen): readonly Warning[] {
  if (measure.of === 'distinct' || seen.types.has('number')) return [];
  return [{ path, message: `takes numbers, and ${seenText(measure, seen)}` }];
}

export function unseenValues(at: string, member: Member, seen: Seen): readonly Warning[] {
  return member.tests.flatMap((test) => {
    const path = `${at}/${test.test}`;
    const strange = typesFor(test).find((types) => !types.some((type) => seen.types.has(type)));
    if (strange === undefined) return otherCase(path, test, seen);
    const message = `asks for ${TYPE_WORDS[strange[0]].one}, and ${seenText(member, seen)}`;
    return [{ path, message, ...given(convertedIn(test, seen)) }];
  });
}

const TYPE_WORDS = {
  text: { one: 'a text', all: 'texts' },
  number: { one: 'a number', all: 'numbers' },
  boolean: { one: 'true or false', all: 'true or false' },
  array: { one: 'a list', all: 'lists' },
  object: { one: 'an object', all: 'objects' },
  null: { one: 'null', all: 'null' },
} as const satisfies Readonly<Record<ValueType, object>>;

function seenText({ path }: Pick<Member, 'path'>, { types }: Seen): string {
  return `${quotedPath({ path })} has only held ${[...types].map((type) => TYPE_WORDS[type].all).join(' and ')} so far`;
}

/** For each value that a test names: it finds something where the data has one of these types. */
function typesFor(test: Test): readonly (readonly [ValueType, ...ValueType[]])[] {
  if (test.test === 'exists') return [];
  if (test.test === 'in') return test.values.map((value) => [constantType(value)]);
  if (test.test === 'contains') return [typeof test.value === 'string' ? ['text', 'array'] : ['array']];
  if (test.test === 'date') return [[test.epoch === null ? 'text' : 'number']];
  return [[test.test === 'has' ? 'array' : constantType(test.value)]];
}

function constantType(value: Constant): ValueType {
  return typeof value === 'object' ? 'number' : typeOf(value);
}

/** The value of a test, as JSON, in the one type that the data has. */
function convertedIn(test: Test, { types }: Seen): string | undefined {
  if (!('value' in test) || typeof test.value === 'boolean') return undefined;
  const [only, ...others] = [...types].filter((type) => type !== 'null');
  if (others.length > 0) return undefined;
  if (only === 'text') return JSON.stringify(describeConstant(test.value));
  const { value } = test;
  return only === 'number' && typeof value === 'string' && PLAIN_NUMBER.test(value) ? value : undefined;
}

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** A text that no example passes, and one does where upper and lower case are the same. */
function otherCase(path: string, test: Test, { examples }: Seen): readonly Warning[] {
  // What a pattern may cost is not known.
  if (!isOfText(test) || test.test === 'matches' || test.ignoresCase === true) return [];
  const steps = new Steps();
  const finds = (example: unknown, options: object): boolean =>
    passesAll(example, [{ ...test, ...options }], { location: 'trait', now: 0n, steps }) !== (test.test === 'is_not');
  if (examples.some((example) => finds(example, {}))) return [];
  const other = examples.find((example) => finds(example, { ignoresCase: true }));
  if (other === undefined) return [];
  const text = JSON.stringify(other);
  const message = `counts upper and lower case, and ${text} was seen: write it so, or add "ignore_case": true`;
  return [{ path, message, ...given(test.test.startsWith('is') && typeof other === 'string' ? text : undefined) }];
}

function given(instead: string | undefined): Pick<Warning, 'instead'> {
  return instead === undefined ? {} : { instead };
}
