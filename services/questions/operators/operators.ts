/** The operators of traits and properties. A new one needs a kind of `Test`, and a line here. */
import type { HasTest, Member, Test, TextOptions } from '../definition/audience.ts';
import { isOfText, OF_TEXT } from '../definition/letter-case.ts';
import { MAX_CONDITIONS, MAX_LIST_DEPTH } from '../definition/limits.ts';
import { readPath } from '../definition/read-path.ts';
import { isJsonObject, type Reading } from '../definition/reading.ts';
import type { ValueSql } from '../definition/value.ts';
import type { Scope } from '../sql/params.ts';
import { valueAt } from '../sql/stored-value.ts';
import { allOf, anyOf, type Course, unmoving } from './course.ts';
import { DATE } from './date.ts';
import { EXISTS, IN, IS, IS_NOT } from './equality.ts';
import type { Operator, TestedAt } from './operator.ts';
import { GT, GTE, LT, LTE } from './order.ts';
import { MATCHES } from './pattern.ts';
import { CONTAINS, ENDS_WITH, STARTS_WITH } from './text.ts';

type OperatorName = Test['test'];

/** In this file because its members have operators of their own. */
const HAS: Operator<HasTest> = {
  read: readHas,
  describe: ({ members }) => `has an object (whose ${members.map(describeMember).join(' and ')})`,
  sql: (scope, value, { members }) =>
    value.hasObject((memberAt) =>
      members.map(({ path, tests }) => testsSql(scope, memberAt(path), tests)).join(' AND '),
    ),
  passes: (value, { members }, at) => objectsIn(value, at).some((object) => passesMembers(object, members, inList(at))),
  course: (value, { members }, at) => {
    const objects = objectsIn(value, at);
    return anyOf(
      mapped(objects, (object) => courseOfMembers(object, members, inList(at))),
      at.steps,
    );
  },
};

function inList(at: TestedAt): TestedAt {
  return { ...at, location: 'in-list' };
}

/** In the order in which they are tried. */
const OPERATORS: Readonly<Record<OperatorName, Operator<Test>>> = {
  is: IS,
  is_not: IS_NOT,
  in: IN,
  exists: EXISTS,
  gt: GT,
  gte: GTE,
  lt: LT,
  lte: LTE,
  contains: CONTAINS,
  starts_with: STARTS_WITH,
  ends_with: ENDS_WITH,
  matches: MATCHES,
  date: DATE,
  has: HAS,
};

const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly OperatorName[];

/** What may stand beside the operators of text. */
const OPTION = 'ignore_case';

/** A list of properties and the operators beside each. Each counts as a condition. */
export function readMembers(reading: Reading, value: unknown, path: string): readonly Member[] | undefined {
  const members = reading.list(value, path, MAX_CONDITIONS)?.map((item, index) => {
    const at = `${path}/${index}`;
    if (!reading.countCondition(at)) return undefined;
    const member = reading.object(item, at);
    return member && readMember(reading, 'property', member, at);
  });
  return members?.every((member) => member !== undefined) ? members : undefined;
}

/** A member, named by `name` (`trait` or `property`), and the operators beside it, which must all hold. */
export function readMember(
  reading: Reading,
  name: string,
  node: Readonly<Record<string, unknown>>,
  path: string,
): Member | undefined {
  reading.onlyKeys(node, [name, ...OPERATOR_NAMES, OPTION], path);
  const keys = readPath(reading, node[name], `${path}/${name}`);
  const tests = readTests(reading, node, path);
  return keys && tests ? { path: keys, tests } : undefined;
}

/** The operators beside a member; undefined after it has refused one, or their absence. */
function readTests(
  reading: Reading,
  node: Readonly<Record<string, unknown>>,
  path: string,
): readonly Test[] | undefined {
  const given = OPERATOR_NAMES.filter((name) => Object.hasOwn(node, name));
  if (given.length === 0) return reading.refuse(path, `needs one of ${OPERATOR_NAMES.join(', ')}`);
  const tests = given.map((name) => OPERATORS[name].read(reading, node[name], `${path}/${name}`));
  const options = Object.hasOwn(node, OPTION) ? readOptions(reading, node[OPTION], given, `${path}/${OPTION}`) : {};
  if (!options || !tests.every((test) => test !== undefined)) return undefined;
  return tests.map((test) => (isOfText(test) ? { ...test, ...options } : test));
}

function readOptions(
  reading: Reading,
  value: unknown,
  given: readonly OperatorName[],
  path: string,
): TextOptions | undefined {
  if (typeof value !== 'boolean') return reading.refuse(path, 'is neither true nor false');
  if (!given.some((name) => OF_TEXT.includes(name)))
    return reading.refuse(path, `is not beside any of ${OF_TEXT.join(', ')}`);
  return value ? { ignoresCase: true } : {};
}

function readHas(reading: Reading, value: unknown, path: string): HasTest | undefined {
  if (reading.listDepth === MAX_LIST_DEPTH)
    return reading.refuse(path, `is nested deeper than ${MAX_LIST_DEPTH} lists`);
  reading.listDepth++;
  const members = readMembers(reading, value, path);
  reading.listDepth--;
  return members && { test: 'has', members };
}

/** None where the value is no list. */
function objectsIn(value: unknown, { steps }: TestedAt): readonly object[] {
  if (!Array.isArray(value)) return [];
  steps.take(value.length);
  return value.filter(isJsonObject);
}

export function describeMember(member: Member): string {
  const tests = member.tests.map((test) => OPERATORS[test.test].describe(test));
  return `${quotedPath(member)} ${tests.join(' and ')}`;
}

export function quotedPath({ path }: Pick<Member, 'path'>): string {
  return path.map((key) => JSON.stringify(key)).join(' → ');
}

/** The condition that a value passes every one of these tests. Never NULL. */
export function testsSql(scope: Scope, value: ValueSql, tests: readonly Test[]): string {
  return tests.map((test) => OPERATORS[test.test].sql(scope, value, test)).join(' AND ');
}

/** The same of a value in memory. */
export function passesAll(value: unknown, tests: readonly Test[], at: TestedAt): boolean {
  return tests.every((test) => {
    at.steps.take(weightOf(value, test, at));
    return OPERATORS[test.test].passes(value, test, at);
  });
}

/** Whether the members of an object pass. */
export function passesMembers(object: unknown, members: readonly Member[], at: TestedAt): boolean {
  return members.every(({ path, tests }) => passesAll(valueAt(object, path), tests, at));
}

/** Whether time alone may change what passes. */
export function isMoving(tests: readonly Test[]): boolean {
  return tests.some((test) =>
    test.test === 'has' ? areMoving(test.members) : OPERATORS[test.test].course !== undefined,
  );
}

export function areMoving(members: readonly Member[]): boolean {
  return members.some(({ tests }) => isMoving(tests));
}

/** When a value passes every one of these tests from the evaluation on. */
export function courseOf(value: unknown, tests: readonly Test[], at: TestedAt): Course {
  const [moving, others] = parted(tests, (test) => isMoving([test]));
  if (!passesAll(value, others, at)) return unmoving(false);
  return allOf(
    mapped(moving, (test) => courseOfTest(value, test, at)),
    at.steps,
  );
}

/** When the members of an object pass. Only what passes all that time does not change has instants that matter. */
export function courseOfMembers(object: unknown, members: readonly Member[], at: TestedAt): Course {
  const [moving, others] = parted(members, ({ tests }) => isMoving(tests));
  if (!passesMembers(object, others, at)) return unmoving(false);
  return allOf(
    mapped(moving, ({ path, tests }) => courseOf(valueAt(object, path), tests, at)),
    at.steps,
  );
}

function courseOfTest(value: unknown, test: Test, at: TestedAt): Course {
  const operator = OPERATORS[test.test];
  at.steps.take(weightOf(value, test, at));
  return operator.course?.(value, test, at) ?? unmoving(operator.passes(value, test, at));
}

const LETTERS_OF_STEP = 64;
/** To read a date takes some 2 µs, most tests of a short value a tenth of that. Nothing else runs within a list. */
const STEPS_OF_DATE = 10;

/** A test of a long text, of a list or with many constants is many steps. */
function weightOf(value: unknown, test: Test, { location }: TestedAt): number {
  const isDate = test.test === 'date' && location === 'in-list';
  const constants = test.test === 'in' ? test.values.length : isDate ? STEPS_OF_DATE : 1;
  if (typeof value === 'string') return constants * (1 + Math.floor(value.length / LETTERS_OF_STEP));
  return test.test === 'contains' && Array.isArray(value) ? 1 + value.length : constants;
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** One after another, as they are asked for. */
function* mapped<T, V>(all: readonly T[], map: (one: T) => V): Generator<V, void, undefined> {
  for (const one of all) yield map(one);
}
