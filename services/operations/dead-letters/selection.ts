/** The selection of dead letters by a command. Pure. */
import type { DeadLetter } from '../../messages/dead-letter.ts';
import { type Message, type Micros, MESSAGE_TOPICS } from '../../messages/message.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import { type CommandArguments, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { formatCoordinates, parseCoordinates } from './record-coordinates.ts';
import type { Found } from './read-dead-letters.ts';

export interface Selection {
  readonly reader: string | undefined;
  readonly topic: string | undefined;
  readonly project: string | undefined;
  /** The error code. */
  readonly error: string | undefined;
  /** The period of the failure: from `since` (inclusive) to `until` (exclusive). */
  readonly since: Micros | undefined;
  readonly until: Micros | undefined;
  /** Coordinates of messages or of their dead letters; undefined for any. */
  readonly ids: ReadonlySet<string> | undefined;
}

/**
 * Reads the arguments `reader`, `topic`, `project`, `error`, `since`, `until` and `ids`.
 *
 * @throws TidemarkError `COMMAND_INVALID`.
 */
export function selectionOf(args: CommandArguments, nowMs: number): Selection {
  const topic = textArgument(args, 'topic');
  return {
    reader: oneOf(textArgument(args, 'reader'), ['projector', 'sink'], 'reader'),
    topic: topic === undefined ? undefined : oneOf(fullName(topic), MESSAGE_TOPICS, 'topic of messages'),
    project: textArgument(args, 'project'),
    error: textArgument(args, 'error'),
    since: time(textArgument(args, 'since'), nowMs),
    until: time(textArgument(args, 'until'), nowMs),
    ids: optionalIdsOf(args['ids']),
  };
}

/** Whether it selects every dead letter. */
export function isEverything(selection: Selection): boolean {
  return Object.values(selection).every((one) => one === undefined);
}

/** Checks everything except the project, which only the message contains. */
export function isSelected({ reader, topic, error, since, until, ids }: Selection, { at, letter }: Found): boolean {
  return (
    (reader === undefined || letter.reader === reader) &&
    (topic === undefined || letter.topic === topic) &&
    (error === undefined || errorCodeOf(letter) === error) &&
    (since === undefined || letter.failedAt >= since) &&
    (until === undefined || letter.failedAt < until) &&
    (ids === undefined || ids.has(formatCoordinates(letter)) || ids.has(formatCoordinates(at)))
  );
}

export function isOfProject({ project }: Selection, message: Message | undefined): boolean {
  return project === undefined || message?.projectId === project;
}

/** The code of the error, if it begins with one. */
export function errorCodeOf({ error }: Pick<DeadLetter, 'error'>): string | undefined {
  return /^([A-Z][A-Z_]+): /.exec(error)?.[1];
}

function fullName(topic: string): string {
  return topic.startsWith('tidemark.') ? topic : `tidemark.${topic}`;
}

function textArgument(args: CommandArguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || typeof value === 'string') return value;
  throw commandInvalid(`${name} is a text.`);
}

function oneOf(value: string | undefined, allowed: readonly string[], what: string): string | undefined {
  if (value === undefined || allowed.includes(value)) return value;
  throw commandInvalid(`${JSON.stringify(value)} is no ${what}; there are ${allowed.join(', ')}.`);
}

const AGE_UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time, or a duration before now: `2026-11-20T10:00:00Z`, `2026-11-20` (UTC), `90m`. */
function time(value: string | undefined, nowMs: number): Micros | undefined {
  if (value === undefined) return undefined;
  const ago = /^(\d{1,9})([smhdw])$/.exec(value);
  if (ago !== null) return BigInt(nowMs - Number(ago[1]) * AGE_UNIT_MS[ago[2] as keyof typeof AGE_UNIT_MS]) * 1000n;
  const parsed = parseTimestamp(value, 'UTC');
  if (parsed.ok) return parsed.micros;
  throw commandInvalid(`${JSON.stringify(value)} ${parsed.message}; nor is it a while ago, as 90m or 7d.`);
}

function optionalIdsOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!Array.isArray(value)) throw commandInvalid('ids are a list.');
  return idsOf(value);
}

/** Coordinates of messages or of their dead letters, with whole names of topics. @throws TidemarkError `COMMAND_INVALID`. */
export function idsOf(ids: readonly unknown[]): ReadonlySet<string> {
  return new Set(
    ids.map((id) => {
      const coordinates = typeof id === 'string' ? parseCoordinates(id) : undefined;
      if (coordinates === undefined) throw commandInvalid(`${JSON.stringify(id)} is no topic/partition/offset.`);
      return formatCoordinates({ ...coordinates, topic: fullName(coordinates.topic) });
    }),
  );
}

export function deadLetterUnknown(id: unknown): TidemarkError {
  return new TidemarkError('DEAD_LETTER_UNKNOWN', `There is no dead letter ${String(id).slice(0, 300)}.`);
}
