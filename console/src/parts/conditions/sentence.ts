/** The definition of an audience in words, for people who read it. Pure; what is edited is the builder's. */
import { isRawNumber, type Json, jsonText } from '../../api/json.ts';

/** Some words of a sentence; names and values are shown more strongly. */
export interface Words {
  readonly kind: 'word' | 'name' | 'value';
  readonly text: string;
}

/** A line of an indented list. */
export interface Line {
  readonly depth: number;
  readonly words: readonly Words[];
}

type Members = Readonly<Record<string, Json>>;

/** One line for each condition and each group, groups before what is in them. */
export function linesOf(definition: Json, depth = 0): readonly Line[] {
  const parts = partsOf(definition);
  const line = { depth, words: headOf(definition) };
  return [line, ...parts.flatMap((part) => linesOf(part, depth + 1))];
}

/** All of it in one line: `whose plan is pro, and who did Order Completed`. */
export function summaryOf(definition: Json): readonly Words[] {
  const parts = partsOf(definition);
  if (parts.length === 0) return headOf(definition);
  const { joint, before } = kindOfGroup(definition);
  const joined = parts.flatMap((part, i) => [
    ...(i === 0 ? [] : [word(joint)]),
    ...(partsOf(part).length > 1 ? [word('('), ...summaryOf(part), word(')')] : summaryOf(part)),
  ]);
  return before === '' ? joined : [word(before), ...(parts.length > 1 ? [word('('), ...joined, word(')')] : joined)];
}

/** The words of the part that a pointer names, without those below it; empty where there is none. */
export function wordsAt(definition: Json, pointer: string): readonly Words[] {
  let part: Json | undefined = definition;
  for (const step of pointer.split('/').slice(1)) {
    part = Array.isArray(part) ? (part as readonly Json[])[Number(step)] : membersOf(part)[step];
  }
  return part === undefined ? [] : headOf(part, false);
}

/** As text, where no word can be stronger than others. */
export function textOf(words: readonly Words[]): string {
  return words.map(({ text }, i) => spaceBefore(words, i) + text).join('');
}

/** What stands between these words and those before them. */
export function spaceBefore(words: readonly Words[], i: number): '' | ' ' {
  const [before, after] = [words[i - 1], words[i]];
  if (before === undefined || (before.kind === 'word' && before.text === '(')) return '';
  return after?.kind === 'word' && /^[,)]/.test(after.text) ? '' : ' ';
}

/** @param isWhole Whether `not` takes in the one condition that it is about. */
function headOf(definition: Json, isWhole = true): readonly Words[] {
  const members = membersOf(definition);
  if ('trait' in members) return traitWords(members);
  if ('event' in members) return eventWords(members);
  if ('all' in members) return [word('all of these')];
  if ('any' in members) return [word('at least one of these')];
  const negated = members['not'];
  if (negated === undefined) return [value(definition)];
  if (!isWhole) return [word('not this')];
  const inner = membersOf(negated);
  if ('all' in inner) return [word('not all of these')];
  if ('any' in inner) return [word('none of these')];
  return 'not' in inner ? [word('not this')] : [word('not those'), ...headOf(negated)];
}

/** What stands on lines below the head of this part. */
function partsOf(definition: Json): readonly Json[] {
  const members = membersOf(definition);
  const group = members['all'] ?? members['any'];
  if (group !== undefined) return Array.isArray(group) ? (group as readonly Json[]) : [];
  const negated = members['not'];
  if (negated === undefined) return [];
  if ('not' in membersOf(negated)) return [negated];
  return partsOf(negated);
}

function kindOfGroup(definition: Json): { readonly joint: string; readonly before: string } {
  const members = membersOf(definition);
  const negated = members['not'];
  if (negated !== undefined) return { ...kindOfGroup(negated), before: 'not' };
  return { joint: 'any' in members ? ', or' : ', and', before: '' };
}

function traitWords(members: Members): readonly Words[] {
  const { trait = '', ...tests } = members;
  if (tests['exists'] === true && Object.keys(tests).length === 1) return [word('who have a'), name(trait)];
  if (tests['exists'] === false && Object.keys(tests).length === 1) return [word('who have no'), name(trait)];
  return [word('whose'), name(trait), ...testWords(tests)];
}

function eventWords({ event = '', where, count, within, first, last }: Members): readonly Words[] {
  const isNever = count !== undefined && numberIn(count, 'at_least') === undefined && isNone(count);
  const conditions = Array.isArray(where) ? (where as readonly Json[]) : [];
  return [
    word(isNever ? 'who did not do' : 'who did'),
    name(event),
    ...conditions.flatMap((condition, i) => {
      const { property = '', ...tests } = membersOf(condition);
      return [word(i === 0 ? 'where' : 'and'), name(property), ...testWords(tests)];
    }),
    ...(count === undefined || isNever ? [] : countWords(count)),
    ...(within === undefined ? [] : periodWords(within)),
    ...(first === undefined ? [] : [word(', the first time'), ...periodWords(first)]),
    ...(last === undefined ? [] : [word(', the last time'), ...periodWords(last)]),
  ];
}

const OPERATORS: Readonly<Record<string, string>> = {
  is: 'is',
  is_not: 'is not',
  in: 'is one of',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  starts_with: 'begins with',
};

function testWords(tests: Members): readonly Words[] {
  return Object.entries(tests).flatMap(([operator, operand], i) => [
    ...(i === 0 ? [] : [word('and')]),
    ...(operator === 'exists'
      ? [word(operand === true ? 'is there' : 'is missing')]
      : [word(OPERATORS[operator] ?? operator), ...operandWords(operand)]),
  ]);
}

function operandWords(operand: Json): readonly Words[] {
  if (!Array.isArray(operand)) return [value(operand)];
  const values = operand as readonly Json[];
  return values.flatMap((one, i) =>
    i === 0 ? [value(one)] : [word(i === values.length - 1 ? 'or' : ','), value(one)],
  );
}

function isNone(count: Json): boolean {
  return numberIn(count, 'at_most') === '0' || numberIn(count, 'exactly') === '0';
}

function countWords(count: Json): readonly Words[] {
  const [least, most, exactly] = ['at_least', 'at_most', 'exactly'].map((key) => numberIn(count, key));
  if (exactly !== undefined) return [word('exactly'), ...timesWords(exactly)];
  if (least !== undefined && most !== undefined) {
    return [word('between'), { kind: 'value', text: least }, word('and'), ...timesWords(most, 'times')];
  }
  return least === undefined ? [word('at most'), ...timesWords(most ?? '')] : [word('at least'), ...timesWords(least)];
}

function timesWords(times: string, unit = times === '1' ? 'time' : 'times'): readonly Words[] {
  return times === '1' && unit === 'time' ? [word('once')] : [{ kind: 'value', text: times }, word(unit)];
}

function periodWords(period: Json): readonly Words[] {
  const { last, since, before, between } = membersOf(period);
  if (last !== undefined) return [word('in the last'), { kind: 'value', text: durationText(last) }];
  if (since !== undefined) return [word('since'), instant(since)];
  if (before !== undefined) return [word('before'), instant(before)];
  const [from, to] = Array.isArray(between) ? (between as readonly Json[]) : [];
  return from === undefined || to === undefined
    ? [value(period)]
    : [word('from'), instant(from), word('until'), instant(to)];
}

const UNITS: Readonly<Record<string, string>> = { h: 'hour', d: 'day', w: 'week' };
const DURATION = /^(\d+)([hdw])$/;

function durationText(duration: Json): string {
  const [, digits = '', unit = ''] = DURATION.exec(plainText(duration)) ?? [];
  if (digits === '') return plainText(duration);
  const amount = digits.replace(/^0+(?=\d)/, '');
  return `${amount} ${UNITS[unit] ?? unit}${amount === '1' ? '' : 's'}`;
}

function instant(at: Json): Words {
  const text = plainText(at);
  return { kind: 'value', text: DURATION.test(text) ? `${durationText(at)} ago` : text };
}

function word(text: string): Words {
  return { kind: 'word', text };
}

function name(path: Json): Words {
  return { kind: 'name', text: Array.isArray(path) ? path.map(plainText).join(' → ') : plainText(path) };
}

/** A text that could be taken for something else is in quotation marks. */
function value(constant: Json): Words {
  const text = plainText(constant);
  const isUnclear = typeof constant === 'string' && (/^(-?\d.*|true|false|null|)$/.test(text) || text.trim() !== text);
  return { kind: 'value', text: isUnclear ? `“${text}”` : text };
}

function plainText(json: Json): string {
  return typeof json === 'string' ? json : jsonText(json);
}

function numberIn(count: Json, key: string): string | undefined {
  const number = membersOf(count)[key];
  return isRawNumber(number) ? number.rawJSON : undefined;
}

function membersOf(json: Json | undefined): Members {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json) && !isRawNumber(json);
  return isObject ? (json as Members) : {};
}
