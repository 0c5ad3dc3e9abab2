/** The selection of dead letters by a command. */
import { type Micros, MESSAGE_TOPICS } from '../../messages/message.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import { type CommandArguments, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { SqlValue } from '../../stores/database/database.ts';
import { coordinateColumns } from '../../stores/profiles/unstored-messages.ts';
import { formatCoordinates, parseCoordinates, type RecordCoordinates } from './record-coordinates.ts';

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

/** Dead letters `l` that are selected; the values are those of `selectedValues`, from `$1` on. */
export const IS_SELECTED = `($1::text is null or l.reader = $1)
  and ($2::text is null or l.topic = $2)
  and ($3::text is null or l.project_id = $3)
  and ($4::text is null or l.code = $4)
  and ($5::int8 is null or l.failed_at_us >= $5)
  and ($6::int8 is null or l.failed_at_us < $6)
  and ($7::text[] is null
       or (l.topic, l.partition, l.log_offset) in (select * from unnest($7::text[], $8::int4[], $9::int8[])))`;

/** @param messages Only dead letters of these messages; undefined for any. */
export function selectedValues(
  selection: Partial<Selection>,
  messages?: readonly RecordCoordinates[],
): readonly SqlValue[] {
  const { reader, topic, project, error, since, until } = selection;
  const named = messages === undefined ? [null, null, null] : coordinateColumns(messages);
  return [...[reader, topic, project, error, since, until].map((value) => value ?? null), ...named];
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
