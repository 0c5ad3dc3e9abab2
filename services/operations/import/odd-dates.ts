/** Values of columns of dates that conditions by date do not find. Pure. */
import type { Problem } from '../../messages/message.ts';
import { isObject } from '../../messages/sdk/sdk-call.ts';
import { parseWrittenTime } from '../../messages/timestamp.ts';
import { pointerTo } from '../../messages/unacceptable.ts';

const NO_DATE = 'is no date to conditions, as 2026-11-20 and 2026-11-20 10:15:00 UTC are';
/** 18/11/2026, 18.11.26, Nov 18, 2026, 18 November 2026. */
const LIKE_A_DATE = /^(?:\d{1,4}([./-])\d{1,2}\1\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4}|\d{1,2} [A-Za-z]{3,9},? \d{4})\b/;

interface DateText {
  readonly name: string;
  readonly text: string;
  readonly pointer: string;
}

/** The problems of each call, in their order. A column is one of dates where half of its texts look like dates. */
export function oddDatesIn(calls: readonly unknown[]): readonly (readonly Problem[])[] {
  const members = calls.map(membersOf);
  const columns = Map.groupBy(members.flat(), ({ name }) => name);
  const ofDates = new Set([...columns].flatMap(([name, texts]) => (areDates(texts) ? [name] : [])));
  return members.map((of) =>
    of
      .filter(({ name, text }) => ofDates.has(name) && !isDate(text))
      .map(({ pointer }) => ({ path: pointer, message: NO_DATE })),
  );
}

function membersOf(call: unknown): readonly DateText[] {
  if (!isObject(call)) return [];
  return ['traits', 'properties'].flatMap((object) => {
    const given = call[object];
    const entries = isObject(given) ? Object.entries(given) : [];
    return entries.flatMap(([name, text]) =>
      typeof text === 'string' ? [{ name, text, pointer: pointerTo([object, name]) }] : [],
    );
  });
}

function areDates(texts: readonly DateText[]): boolean {
  return texts.filter(({ text }) => isDate(text) || LIKE_A_DATE.test(text)).length >= texts.length / 2;
}

export function isDate(text: string): boolean {
  return parseWrittenTime(text, 'UTC').ok;
}
