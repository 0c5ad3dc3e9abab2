/** How a file is read, as the address has it, and in words. */
import { setParameters } from '../../api/address.ts';
import type { Body as BodyOf } from '../../api/client.ts';

type Body = BodyOf<'POST /v1/admin/imports'>;

/** Members of a request for an import, of which a guess or a remedy has some. */
export interface Choices {
  readonly preset?: string | null;
  readonly type?: string | null;
  readonly map?: Readonly<Record<string, string | null>>;
  readonly delimiter?: string | null;
  readonly encoding?: string | null;
  readonly time_format?: string | null;
  readonly types?: boolean;
  readonly text_columns?: readonly string[];
}

/** Parameters of the address: with one of them somebody, or the guess, says how the file is read. */
export const CHOICES = ['read', 'preset', 'type', 'map', 'delimiter', 'time_format', 'types'];

export function choicesIn(query: URLSearchParams) {
  return {
    preset: (query.get('preset') as Body['preset']) ?? null,
    type: (query.get('type') as Body['type']) ?? null,
    map: Object.fromEntries(new URLSearchParams(query.get('map') ?? '')),
    delimiter: query.get('delimiter') ?? ',',
    encoding: (query.get('encoding') as Body['encoding']) ?? null,
    time_format: query.get('time_format'),
    types: query.get('types') === 'yes',
    text_columns: query.get('text_columns')?.split('\n') ?? [],
  };
}

/** Shows the rows anew. A check of the file as it was read before says nothing any more. */
export function choose(choices: Choices): void {
  setParameters({ ...parametersOf(choices), read: 'yes', check: undefined });
}

/** Those that are given; what need not be said is left out. */
function parametersOf(choices: Choices): Readonly<Record<string, string | undefined>> {
  const { preset, type, map = {}, types, text_columns: texts, delimiter, encoding, time_format: format } = choices;
  const entries = Object.entries(map).map(([column, member]) => [column, member ?? '']);
  const parameters: Record<keyof Choices, string | null | undefined> = {
    preset,
    type,
    map: new URLSearchParams(entries).toString(),
    types: types === true ? 'yes' : '',
    text_columns: texts?.join('\n'),
    delimiter: delimiter === ',' ? '' : delimiter,
    encoding: encoding === 'utf-8' ? '' : encoding,
    time_format: format,
  };
  const given = Object.entries(parameters).filter(([name]) => name in choices);
  return Object.fromEntries(given.map(([name, text]) => [name, text ?? undefined]));
}

export const ROWS: Readonly<Record<string, string>> = {
  '': 'given by its column “type”',
  track: 'an event',
  identify: 'traits of a user',
};
export const DELIMITERS: Readonly<Record<string, string>> = {
  '': 'a comma',
  ';': 'a semicolon',
  '\t': 'a tab',
  '|': 'a bar',
};

/** The forms of other products that the service knows. */
export const PRESETS: Readonly<Record<string, string>> = {
  '': 'Somewhere else',
  segment: 'Segment',
  rudderstack: 'RudderStack',
  posthog: 'PostHog: events',
  'posthog-persons': 'PostHog: persons',
  mixpanel: 'Mixpanel: events',
  'mixpanel-people': 'Mixpanel: people',
  amplitude: 'Amplitude: events',
  'amplitude-users': 'Amplitude: users',
  ga4: 'Google Analytics 4: events',
  'ga4-users': 'Google Analytics 4: users',
  snowplow: 'Snowplow',
  customerio: 'Customer.io: calls',
  'customerio-people': 'Customer.io: people',
  'customerio-activities': 'Customer.io: activities',
} satisfies Record<NonNullable<Body['preset']> | '', string>;

/** Members of a message that a column may fill, in words. */
export const MEMBERS: Readonly<Record<string, string>> = {
  user_id: 'User id',
  event: 'Event name',
  timestamp: 'Time',
  message_id: 'Message id',
  type: 'Type',
  anonymousId: 'Anonymous id',
};

/** `DD.MM.YYYY HH:mm` → `Day first, as 31.12` */
export function formatText(format: string): string {
  const example = format
    .replace(/.YYYY.*/, '')
    .replace('DD', '31')
    .replace('MM', '12');
  if (format.startsWith('DD')) return `Day first, as ${example}`;
  return format.startsWith('MM') ? `Month first, as ${example}` : format;
}
