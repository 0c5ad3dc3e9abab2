/** Objects that a product wrote as JSON in a text, as exports to warehouses have them. Pure. */
import { readJson, type ReadJson } from '../../../messages/json.ts';
import { isObject } from '../../../messages/sdk/sdk-call.ts';

type ReadBody = Extract<ReadJson, { readonly ok: true }>;

/** A record, with objects and lists in place of such texts. What is no JSON stays. @param names Members that may be such. */
export function readRecord(text: string, names: readonly string[]): ReadJson {
  const read = readJson(text);
  if (!read.ok || !isObject(read.value.plain)) return read;
  const { plain } = read.value;
  const found = names.flatMap((name) => {
    const member = plain[name];
    const inner = typeof member === 'string' && /^\s*[{[]/.test(member) ? readJson(member) : undefined;
    return inner?.ok === true ? [{ name, text: member as string, read: inner }] : [];
  });
  if (found.length === 0) return read;
  const isSuspect = read.isSuspect || found.some((inner) => inner.read.isSuspect);
  const body = { ...plain, ...Object.fromEntries(found.map((inner) => [inner.name, inner.read.value.plain])) };
  if ([read, ...found.map((inner) => inner.read)].every(isOne))
    return { ...read, value: { plain: body, exact: body }, isSuspect };
  const inners = found.map((inner) => [inner.name, exactApart(inner.text, inner.read)] as const);
  const exact = { ...(exactApart(text, read) as object), ...Object.fromEntries(inners) };
  return { ...read, value: { plain: body, exact }, isSuspect };
}

function isOne({ value }: ReadBody): boolean {
  return value.plain === value.exact;
}

/** Shares nothing with the other: a mapping takes parts out of both. */
function exactApart(text: string, read: ReadBody): unknown {
  const again = isOne(read) ? readJson(text) : read;
  return again.ok ? again.value.exact : undefined;
}
