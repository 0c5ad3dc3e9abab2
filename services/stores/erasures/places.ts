/**
 * Every place that keeps something of people, and how it forgets somebody: the erasure goes by this list. A test finds the
 * table, the topic, the folder of data or the answers in memory that it lacks.
 */
import {
  AUDIENCE_CHANGE_TOPIC,
  DEAD_LETTER_TOPIC,
  MESSAGE_TOPICS,
  PROJECT_TOPIC,
  SNAPSHOT_TOPIC,
} from '../../messages/message.ts';

export type Way =
  /** Rows with the internal id are deleted, in every generation. */
  | 'rows'
  /** Ids are looked for in texts. */
  | 'texts'
  /** What dead letters say whose message is the person's is taken away. */
  | 'letters'
  /** Corrections of dead letters whose message is the person's are deleted. */
  | 'edits'
  /** Records with the person's key are made blank, where the log can do that. */
  | 'records'
  /** Uploaded files are deleted, and refused lines overwritten. */
  | 'imports'
  /** The files of a database are written anew. */
  | 'files'
  /** Answers are made anew after each erasure: `KeptAnswers`. */
  | 'answers'
  /** It asks who is forgotten each time, or holds nothing for longer than some seconds. */
  | 'at once'
  /** It stays: the certificate or its page says so. */
  | 'remains'
  | 'nothing';

/** What a text is, and what happens to one with an id. */
export type TextRule =
  /** The beginning of a body that somebody sent: it is taken away, also where it cannot be read. */
  | 'body'
  /** The beginning of what somebody answered: taken away. */
  | 'answer'
  /** An answer of the service: taken away. */
  | 'own answer'
  /** A document of the service: the id is replaced. */
  | 'document'
  /** A part of its row's key, or what the row is about: the row is deleted. */
  | 'row';

export interface RegisterEntry {
  readonly way: Way;
  /** Columns with texts. */
  readonly texts?: Readonly<Record<string, TextRule>>;
  /** Whether an embedded database writes the table anew: something of people is deleted or changed in it. */
  readonly isRewritten?: true;
}

const BY_USER: RegisterEntry = { way: 'rows' };
const HAS_NOTHING: RegisterEntry = { way: 'nothing' };
const REMAINS: RegisterEntry = { way: 'remains' };
const WITHIN_SECONDS: RegisterEntry = { way: 'at once' };
const REWRITTEN = { isRewritten: true } as const;

function texts(columns: Readonly<Record<string, TextRule>>): RegisterEntry {
  return { way: 'texts', texts: columns, ...REWRITTEN };
}

/** Postgres. Rows are deleted in this order. */
export const POSTGRES_TABLES: Readonly<Record<string, RegisterEntry>> = {
  profiles: BY_USER,
  sightings: BY_USER,
  users: BY_USER,

  refusals: texts({ example: 'body', message: 'row', pointer: 'row', user_agent: 'row' }),
  repeats: texts({ body: 'own answer' }),
  jobs: texts({ result: 'document', failure: 'document' }),
  verification_hours: texts({ report: 'document' }),
  // A receiver may name whom it was told of.
  endpoint_deliveries: texts({ answer: 'answer' }),
  dead_letters: { way: 'letters', ...REWRITTEN },
  settled_dead_letters: { way: 'edits', ...REWRITTEN },
  // Names, until the erasure is done.
  erasures: { way: 'texts', ...REWRITTEN },
  // Those about a person are deleted with the request, and those that it makes have hashes alone.
  join_decisions: { ...WITHIN_SECONDS, ...REWRITTEN },
  // Taken away within seconds.
  live_touches: { ...WITHIN_SECONDS, ...REWRITTEN },

  // Definitions, addresses and notes may be about one person.
  audiences: REMAINS,
  audience_versions: REMAINS,
  pins: REMAINS,
  notes: REMAINS,
  watches: REMAINS,
  audit_log: REMAINS,
  // By which user a list was cut, as an internal id.
  endpoint_positions: REMAINS,

  // Hashes of ids, which count for no message after the cut.
  applied: HAS_NOTHING,
  // Names of columns at most: no message, and no id of a person.
  api_keys: HAS_NOTHING,
  applied_counts: HAS_NOTHING,
  audience_evaluations: HAS_NOTHING,
  blanked: HAS_NOTHING,
  console_sessions: HAS_NOTHING,
  endpoint_dead_letters: HAS_NOTHING,
  endpoints: HAS_NOTHING,
  // Hashes of internal ids and of events.
  erased_events: HAS_NOTHING,
  generations: HAS_NOTHING,
  live_epochs: HAS_NOTHING,
  live_generations: HAS_NOTHING,
  log_cuts: HAS_NOTHING,
  migrations: HAS_NOTHING,
  processes: HAS_NOTHING,
  projects: HAS_NOTHING,
  reader_positions: HAS_NOTHING,
  restores: HAS_NOTHING,
  sink_plans: HAS_NOTHING,
  store_sizes: HAS_NOTHING,
};

/** ClickHouse. Rows are deleted by the column `user` or `internal_id`. */
export const ANALYTICS_TABLES: Readonly<Record<string, RegisterEntry>> = {
  track_rows: BY_USER,
  identify_rows: BY_USER,
  session_rows: BY_USER,
  trait_rows: BY_USER,
  trait_value_rows: BY_USER,
  user_rows: BY_USER,
  user_id_rows: BY_USER,
  user_event_rows: BY_USER,
  user_track_rows: BY_USER,
  user_trait_rows: BY_USER,
  sighting_rows: BY_USER,
  sightings_by_anonymous: BY_USER,
  join_rows: BY_USER,
  join_decision_rows: BY_USER,
  audience_changes: BY_USER,
  audience_members: BY_USER,
  audience_members_by_user: BY_USER,
  audience_evaluations: HAS_NOTHING,
  held_ranges: HAS_NOTHING,
};

export const LOG_TOPICS: Readonly<Record<string, RegisterEntry>> = {
  ...Object.fromEntries(
    [...MESSAGE_TOPICS, DEAD_LETTER_TOPIC, SNAPSHOT_TOPIC].map((topic) => [topic, { way: 'records' }]),
  ),
  [PROJECT_TOPIC]: HAS_NOTHING,
  [AUDIENCE_CHANGE_TOPIC]: REMAINS,
};

/** What lies in the data folder. */
export const DATA: Readonly<Record<string, RegisterEntry>> = {
  // With the log of version 0.2 that version 0.3 left as `data.mdb.converted`.
  'event-log': { way: 'records' },
  profiles: { way: 'files' },
  analytics: { way: 'files' },
  imports: { way: 'imports' },
  // Records on their way to the log.
  spool: WITHIN_SECONDS,
  backups: REMAINS,
  'schema-ids.json': HAS_NOTHING,
  'control.sock': HAS_NOTHING,
};

/** The lists that classes of these folders hold, by the file: one that outlives a request may have something of people. */
export const MEMORY: Readonly<Record<string, RegisterEntry>> = {
  'questions/kept-answers.ts': { way: 'answers' },
  // Members of audiences that are not written yet.
  'questions/live/ticker.ts': WITHIN_SECONDS,
  // What was read of the log for those who listen, and refusals that are not written yet.
  'api/live/live-events.ts': WITHIN_SECONDS,
  'api/live/match-collector.ts': WITHIN_SECONDS,
  'ingest/refusal-counts.ts': WITHIN_SECONDS,
  // For one question.
  'questions/one-user/event-window.ts': HAS_NOTHING,
  'questions/measures/tally.ts': HAS_NOTHING,
  'questions/sql/params.ts': HAS_NOTHING,
  // Definitions, projects, keys, places of the log, names of the program.
  'questions/live/followed.ts': HAS_NOTHING,
  'questions/live/followed-audiences.ts': HAS_NOTHING,
  'api/console/console-routes.ts': HAS_NOTHING,
  'api/console/console-sessions.ts': HAS_NOTHING,
  'api/openapi.ts': HAS_NOTHING,
  'api/receipts/log-ends.ts': HAS_NOTHING,
  'ingest/encode-thread.ts': HAS_NOTHING,
  'ingest/ingest-metrics.ts': HAS_NOTHING,
  // Counts by key and address, and attempts under way.
  'ingest/strangers.ts': HAS_NOTHING,
  'webhooks/sending.ts': HAS_NOTHING,
};

/** The places of a list that forget so, in its order. */
export function placesBy(list: Readonly<Record<string, RegisterEntry>>, way: Way): readonly string[] {
  return Object.keys(list).filter((name) => list[name]?.way === way);
}

/** The tables that an embedded database writes anew, beside those of profiles. */
export const REWRITTEN_TABLES = Object.keys(POSTGRES_TABLES).filter(
  (name) => POSTGRES_TABLES[name]?.isRewritten === true,
);
