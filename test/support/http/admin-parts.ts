import { once } from 'node:events';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import type { JobCommands, JobKind } from '../../../services/operations/jobs/job.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import type { AdminPorts } from '../../../services/operations/ports.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Edit, EditResult } from '../../../services/operations/dead-letters/editor.ts';
import { changedPaths, editableRecord, readEdit } from '../../../services/operations/dead-letters/editable-record.ts';
import { deadLetterUnknown } from '../../../services/operations/dead-letters/selection.ts';
import type { Guess } from '../../../services/operations/import/guess/guess.ts';
import type { GenerationSummary, PlannedReplay } from '../../../services/operations/replay/replay-commands.ts';
import {
  type ErasureRequestParts,
  ErasureRequests,
  type ForgettingAnswer,
  type ForgettingPlan,
  type ForgettingRequest,
  type NamedPerson,
} from '../../../services/operations/erasure/erasure-requests.ts';
import type { ForgettingUsersParts } from '../../../services/operations/erasure/forget-users.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { projectDeletion } from '../../../services/stores/projects/delete-project.ts';
import { SqlJoinDecisions } from '../../../services/stores/profiles/sql-join-decisions.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import type { Erasure } from '../../../services/stores/erasures/erasure.ts';
import { type EventsToErase, requestEvents } from '../../../services/stores/erasures/sql-erased-events.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { track } from '../messages/messages.ts';
import type { BreakableDatabase } from '../stores/breakable-database.ts';

const SETTLED = { dry_run: false, messages: 1, still_undecodable: 0, settled_before: 0, not_found: [] };

const PLANNED: PlannedReplay = {
  kind: 'profiles',
  project: null,
  resumes: null,
  read: 0,
  messages: 10,
  deleted_from_log: 0,
  bytes: 1_000,
  seconds: 1,
  per_second: 30_000,
  basis: 'assumed',
};

/** Where and how often backups are made. */
export const SCHEDULE = { folder: '/backups', everyMs: 86_400_000 };

/** What each came to, where the document describes it. */
const RESULTS: Partial<Record<JobKind, object>> = {
  'replay compare': { kind: 'profiles', number: 2, project: null, messages: 10, same: true, comparison: [] },
  'dead-letters replay': SETTLED,
  'dead-letters drop': SETTLED,
  verify: { equal: true, hours_compared: 1, hours_different: 0 },
  import: { lines: 3, accepted: 2, refused: 1, resumed_at_line: 0 },
  backup: {
    folder: '/backups',
    number: 1,
    at: '2026-11-24T02:00:00.120000Z',
    records: 3,
    records_total: 3,
    bytes: 400,
    bytes_total: 400,
    kept: 1,
    took_ms: 20,
  },
};

const GUESS: Guess = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  header: true,
  preset: null,
  type: null,
  map: {},
  time_format: null,
  time_formats: [],
  types: false,
  text_columns: [],
  columns: [],
};

/** Nothing is known of this one. */
export const NOBODY_ID = 'nobody';

/** The id of the one dead letter. */
export const DEAD_LETTER = 'tidemark.track/0/41';
/** What others cannot be edited for. */
export const SETTLED_LETTER = 'tidemark.track/0/7';
export const UNDECODABLE_LETTER = 'tidemark.track/0/8';

const LETTER = track({ projectId: 'proj_shop', userId: 'ada', messageId: 'order-1', properties: '{"total":9}' });

/** As of the message of the one dead letter, which no store refuses now. */
function edited({ id, record, isDryRun }: Edit): EditResult {
  if (id === SETTLED_LETTER) throw new TidemarkError('DEAD_LETTER_SETTLED', `${id} was replayed before`);
  if (id === UNDECODABLE_LETTER) throw new TidemarkError('MESSAGE_UNDECODABLE', 'there is nothing to correct');
  if (id !== DEAD_LETTER) throw deadLetterUnknown(id);
  const read = readEdit(record, 'tidemark.track', LETTER);
  if (!read.ok) return { problems: read.problems };
  const accepted = { accepts: true, error: null };
  const how = isDryRun ? { copy: null, stores: { profiles: accepted, analytics: accepted } } : null;
  const answer = { dry_run: how !== null, id: DEAD_LETTER, message_id: LETTER.messageId };
  const records = [LETTER, read.message].map((message) => editableRecord('tidemark.track', message));
  return {
    edited: { ...answer, ...(how ?? { copy: 'tidemark.track/0/42', stores: null }) },
    project: 'proj_shop',
    changed: changedPaths(records[0], records[1]),
  };
}

/** Erasures in the database. Everybody is known but one, and nothing is deleted. */
class TestedErasures extends ErasureRequests {
  readonly #database: Database;
  readonly #ofProject: <T>(value: T) => T;

  constructor(parts: ErasureRequestParts, database: Database, ofProject: <T>(value: T) => T) {
    super(parts);
    this.#database = database;
    this.#ofProject = ofProject;
  }

  override async request({ users, ...terms }: ForgettingRequest): Promise<ForgettingAnswer> {
    const known = this.#ofProject(users.filter(({ name }) => name !== NOBODY_ID));
    const people = known.map(({ userKey }) => ({ userKey, userId: null, anonymousId: null }));
    const erasures = await new SqlErasures(this.#database).request(people, terms, []);
    return { erasures, shared: ['5b1f'], unknown: unknownOf(users) };
  }

  override async requestEvents(wanted: EventsToErase): Promise<Erasure> {
    const found = await this.find(await requestEvents(this.#database, wanted));
    if (found === undefined) throw new Error('there is no erasure');
    return this.#ofProject(found);
  }

  override async plan(_: string, users: readonly NamedPerson[]): Promise<ForgettingPlan> {
    const keys = users.filter(({ name }) => name !== NOBODY_ID).map(({ userKey }) => userKey);
    const rows = { postgres: { users: keys.length }, clickhouse: { user_rows: keys.length } };
    return this.#ofProject({ users: keys, ...rows, shared: [], unknown: unknownOf(users) });
  }
}

function unknownOf(users: readonly NamedPerson[]): readonly string[] {
  return users.flatMap(({ name, userKey }) => (name === NOBODY_ID ? [userKey] : []));
}

/** What operators do, on a real database; what needs the log or analytics is made up. */
export class AdminParts {
  readonly projects: SqlProjectStore;
  readonly jobs: SqlJobStore;
  /** What an erasure waits for. */
  erasing: Promise<void> = Promise.resolve();
  /** Whether an import or an erasure names a project that is not there. */
  projectIsUnknown = false;
  readonly runner: JobRunner;
  readonly ports: Omit<AdminPorts, 'figures'>;
  readonly #database: BreakableDatabase;

  constructor(database: BreakableDatabase) {
    this.#database = database;
    this.projects = new SqlProjectStore(database);
    // Nobody beats for the jobs that a test adds.
    this.jobs = new SqlJobStore(database, 3_600_000);
    this.runner = new JobRunner({ commands: this.#commands(), jobs: this.jobs, logger: { warn: () => undefined } });
    this.ports = this.#ports();
  }

  #commands(): JobCommands {
    const kinds = ['dead-letters replay', 'dead-letters drop', 'replay build', 'replay compare', 'replay swap'].concat([
      'replay drop',
      'replay rollback',
      'verify',
      'import',
      'backup',
      'users erase',
      'events delete',
      'stores measure',
    ]) as JobKind[];
    const done = kinds.map((kind) => [kind, async (args: object) => RESULTS[kind] ?? args]);
    return {
      ...(Object.fromEntries(done) as JobCommands),
      'project erase': async ({ project }, { signal }) => {
        await Promise.race([this.erasing, once(signal, 'abort')]);
        signal.throwIfAborted();
        const sql = `update erasures set state = 'done', finished_at_us = 1 where project_id = $1`;
        await this.#database.query(sql, [project]);
        return { project, users: 1, tables: 9 };
      },
    };
  }

  #ports(): Omit<AdminPorts, 'figures'> {
    const unknown = {
      project_id: null,
      message_id: null,
      user_id: null,
      event: null,
      settled_at: null,
      copy: null,
      copy_of: null,
      code: null,
    };
    const failed = { failed_at: '2026-11-24T14:00:00.000000Z', attempts: [] };
    const letter = { id: DEAD_LETTER, state: 'waiting', bytes: 0, ...failed, ...unknown } as const;
    const facets = { reader: [], topic: [], code: [], project: [], day: [] };
    const none = { project: null, answers: [], messages: 0, behind: 0, rate_limit: null, as_of: null };
    const generation = { kind: 'profiles', created_at: '2026-11-24T14:13:41.494Z', ...none } as const;
    const building: GenerationSummary = { ...generation, number: 2, state: 'building' };
    const generations: GenerationSummary[] = [{ ...generation, number: 1, state: 'live', answers: ['all'] }, building];
    return {
      projects: this.projects,
      jobs: this.runner,
      joins: new SqlJoinDecisions(this.#database),
      deletion: projectDeletion(this.#database),
      deadLetters: {
        list: async () => this.#whileThere({ dead_letters: [letter], next_cursor: null, facets, unreadable: 0 }),
        show: async (id) => {
          if (id !== DEAD_LETTER) throw deadLetterUnknown(id);
          const whole = { ...letter, key_base64: '', value_base64: '', message: null, record: null };
          return this.#whileThere(JSON.stringify(whole));
        },
        countWaiting: async () => this.#whileThere({ messages: 1, byReader: { sink: 1 }, byProject: {} }),
        edit: async (edit) => this.#whileThere(edited(edit)),
      },
      erasures: this.#erasures(),
      oldEvents: { of: async () => this.#whileThere({ first_day: '2025-10-24', events: 5, users: 2, bytes: 1_000 }) },
      generations: {
        list: async () => this.#whileThere(generations),
        find: async (kind, number) =>
          this.#whileThere(generations.find((one) => one.kind === kind && one.number === number)),
        plan: async () => this.#whileThere(PLANNED),
        changeRate: async () => this.#whileThere(building),
        expectJoins: async () => this.#whileThere(undefined),
      },
      imports: {
        check: async () => this.#ofProject({ project: 'proj_1', bytes: 0 }),
        preview: async () =>
          this.#ofProject({
            format: 'csv',
            columns: [],
            rows: [],
            problem: null,
            warnings: [],
            remedies: [],
            guess: GUESS,
            files: ['history.csv'],
            file_count: 1,
          }),
      },
    };
  }

  #erasures(): TestedErasures {
    const parts: ErasureRequestParts = {
      stores: async () => ({ database: this.#database }) as unknown as ForgettingUsersParts,
      tell: async () => undefined,
      jobs: this.runner,
      stopping: this.runner.stopping,
      logger: { warn: () => undefined },
    };
    return new TestedErasures(parts, this.#database, (value) => this.#ofProject(value));
  }

  #ofProject<T>(value: T): T {
    if (this.projectIsUnknown) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
    return this.#whileThere(value);
  }

  #whileThere<T>(value: T): T {
    if (this.#database.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
    return value;
  }
}
