/**
 * Every place that keeps something of people, and how it forgets somebody: the erasure goes by this list. A test finds the
 * table, the topic, the folder of data or the answers in memory that it lacks.
 */
import { AUDIENCE_CHANGE_TOPIC, DEAD_LETTER_TOPIC, MESSAGE_TOPICS, PROJECT_TOPIC } from '../../messages/message.ts';

export type Way =
  /** Rows with the internal id are deleted, in every generation. */
  | 'rows'
  /** Ids are looked for in texts. */
  | 'texts'
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

export interface Place {
  readonly way: Way;
  /** Columns with texts. */
  readonly texts?: Readonly<Record<string, TextRule>>;
  /** Whether an embedded database writes the table anew: something of people is deleted or changed in it. */
  readonly isRewritten?: true;
}

const ROWS: Place = { way: 'rows' };
const NOTHING: Place = { way: 'nothing' };
const REMAINS: Place = { way: 'remains' };
const AT_ONCE: Place = { way: 'at once' };
const REWRITTEN = { isRewritten: true } as const;

function texts(columns: Readonly<Record<string, TextRule>>): Place {
  return { way: 'texts', texts: columns, ...REWRITTEN };
}

/** Postgres. Rows are deleted in this order. */
export const TABLES: Readonly<Record<string, Place>> = {
  profiles: ROWS,
  anonymous_ids: ROWS,
  users: ROWS,

  refusals: texts({ example: 'body', message: 'row', pointer: 'row' }),
  repeats: texts({ body: 'own answer' }),
  jobs: texts({ result: 'document', failure: 'document' }),
  verifications: texts({ report: 'document' }),
  verification_hours: texts({ report: 'document' }),
  // A receiver may name whom it was told of.
  endpoint_deliveries: texts({ answer: 'answer' }),
  dead_letter_edits: { way: 'edits', ...REWRITTEN },
  // Names, until the erasure is done.
  erasures: { way: 'texts', ...REWRITTEN },
  // Taken away within seconds.
  live_touches: { ...AT_ONCE, ...REWRITTEN },

  // Definitions may be about one person.
  audiences: REMAINS,
  audience_versions: REMAINS,
  audit_log: REMAINS,
  // By which user a list was cut, as an internal id.
  endpoint_positions: REMAINS,

  // Hashes of ids, which count for no message after the cut.
  applied: NOTHING,
  // Names of columns at most: no message, and no id of a person.
  api_keys: NOTHING,
  applied_counts: NOTHING,
  audience_evaluations: NOTHING,
  backups: NOTHING,
  blanked: NOTHING,
  console_sessions: NOTHING,
  deleted_projects: NOTHING,
  endpoint_dead_letters: NOTHING,
  endpoints: NOTHING,
  generations: NOTHING,
  live_epochs: NOTHING,
  live_generations: NOTHING,
  migrations: NOTHING,
  processes: NOTHING,
  projects: NOTHING,
  reader_positions: NOTHING,
  restores: NOTHING,
  settled_dead_letters: NOTHING,
  sink_plans: NOTHING,
  unstored_messages: NOTHING,
};

/** ClickHouse. Rows are deleted by the column `user` or `internal_id`. */
export const ANALYTICS_TABLES: Readonly<Record<string, Place>> = {
  track_rows: ROWS,
  identify_rows: ROWS,
  session_rows: ROWS,
  trait_rows: ROWS,
  trait_value_rows: ROWS,
  user_rows: ROWS,
  user_id_rows: ROWS,
  user_event_rows: ROWS,
  user_track_rows: ROWS,
  user_trait_rows: ROWS,
  audience_changes: ROWS,
  audience_members: ROWS,
  audience_members_by_user: ROWS,
  audience_evaluations: NOTHING,
  held_ranges: NOTHING,
};

export const LOG_TOPICS: Readonly<Record<string, Place>> = {
  ...Object.fromEntries([...MESSAGE_TOPICS, DEAD_LETTER_TOPIC].map((topic) => [topic, { way: 'records' }])),
  [PROJECT_TOPIC]: NOTHING,
  [AUDIENCE_CHANGE_TOPIC]: REMAINS,
};

/** What lies in the data folder. */
export const DATA: Readonly<Record<string, Place>> = {
  // With what is left of a conversion.
  'event-log': { way: 'records' },
  profiles: { way: 'files' },
  analytics: { way: 'files' },
  imports: { way: 'imports' },
  // Records on their way to the log.
  spool: AT_ONCE,
  backups: REMAINS,
  'schema-ids.json': NOTHING,
  'control.sock': NOTHING,
};

/** The lists that classes of these folders hold, by the file: one that outlives a request may have something of people. */
export const MEMORY: Readonly<Record<string, Place>> = {
  'questions/kept-answers.ts': { way: 'answers' },
  // Who is a member, until it is written.
  'questions/live/tick.ts': AT_ONCE,
  // What was read of the log for those who listen, and refusals that are not written yet.
  'api/live/live-events.ts': AT_ONCE,
  'api/live/match-collector.ts': AT_ONCE,
  'ingest/refusal-counts.ts': AT_ONCE,
  // For one question.
  'questions/explain/event-window.ts': NOTHING,
  'questions/measures/tally.ts': NOTHING,
  'questions/sql/params.ts': NOTHING,
  // Definitions, projects, keys, places of the log, names of the program.
  'questions/live/followed.ts': NOTHING,
  'questions/live/followed-audiences.ts': NOTHING,
  'api/console/console-routes.ts': NOTHING,
  'api/console/console-sessions.ts': NOTHING,
  'api/openapi.ts': NOTHING,
  'api/receipts/log-ends.ts': NOTHING,
  'ingest/encode-thread.ts': NOTHING,
  'ingest/ingest-metrics.ts': NOTHING,
};

/** The places of a list that forget so, in its order. */
export function placesBy(list: Readonly<Record<string, Place>>, way: Way): readonly string[] {
  return Object.keys(list).filter((name) => list[name]?.way === way);
}

/** The tables that an embedded database writes anew, beside those of profiles. */
export const REWRITTEN_TABLES = Object.keys(TABLES).filter((name) => TABLES[name]?.isRewritten === true);
