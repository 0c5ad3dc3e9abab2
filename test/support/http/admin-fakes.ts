import { once } from 'node:events';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import {
  type Heartbeat,
  isFinished,
  type Job,
  type JobEnd,
  type JobFilter,
  type JobKind,
  type JobStore,
  type NewJob,
} from '../../../services/operations/jobs/job.ts';
import type { AdminPorts } from '../../../services/operations/ports.ts';
import type { Command } from '../../../services/runtime/command.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Edit, EditResult } from '../../../services/operations/dead-letters/editor.ts';
import { changedPaths, editableRecord, readEdit } from '../../../services/operations/dead-letters/editable-record.ts';
import { deadLetterUnknown } from '../../../services/operations/dead-letters/selection.ts';
import type { Guess } from '../../../services/operations/import/guess/guess.ts';
import type { GenerationSummary, PlannedReplay } from '../../../services/operations/replay/replay-commands.ts';
import type { Deletion } from '../../../services/stores/projects/delete-project.ts';
import { MemoryErasures } from './memory-erasures.ts';
import { MemoryProjectStore } from './memory-project-store.ts';
import { track } from '../messages/messages.ts';

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

/** Jobs in memory, which can be unreachable. */
const GUESS: Guess = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  header: true,
  preset: null,
  type: null,
  map: {},
  time_format: null,
};

export class MemoryJobStore implements JobStore {
  readonly jobs = new Map<string, Job>();
  unreachable = false;

  async add(job: NewJob): Promise<Job> {
    this.#check();
    const id = `job_${String(this.jobs.size).padStart(20, '0')}`;
    const nothing = { progress: null, rate: null, result: null, failure: null, startedAtMs: null, finishedAtMs: null };
    const made: Job = { ...job, ...nothing, id, state: 'queued', createdAtMs: this.jobs.size };
    this.jobs.set(id, made);
    return made;
  }

  async list(limit: number, { kind }: JobFilter = {}): Promise<readonly Job[]> {
    this.#check();
    const jobs = [...this.jobs.values()].filter((job) => kind === undefined || job.kind === kind);
    return jobs.toReversed().slice(0, limit);
  }

  async find(id: string): Promise<Job | undefined> {
    this.#check();
    return this.jobs.get(id);
  }

  async restart(id: string): Promise<Job | undefined> {
    this.#check();
    const job = this.jobs.get(id);
    if (job === undefined || !isFinished(job) || job.state === 'done') return undefined;
    const queued: Job = { ...job, state: 'queued', failure: null, startedAtMs: null, finishedAtMs: null };
    this.jobs.set(id, queued);
    return queued;
  }

  async requestCancel(): Promise<void> {
    this.#check();
  }

  async beat(beats: readonly Heartbeat[]): Promise<readonly string[]> {
    for (const { id, ...beat } of beats) this.#change(id, beat);
    return [];
  }

  async finish(id: string, end: JobEnd): Promise<void> {
    this.#change(id, { ...end, startedAtMs: 0, finishedAtMs: 0 });
  }

  #change(id: string, changes: Partial<Job>): void {
    const job = this.jobs.get(id);
    if (job !== undefined && !isFinished(job)) this.jobs.set(id, { ...job, ...changes });
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  }
}

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

/** What operators do, over stores in memory. */
export class MemoryAdmin {
  readonly projects = new MemoryProjectStore();
  readonly jobs = new MemoryJobStore();
  /** What keeps a project from being deleted. */
  has: readonly string[] = [];
  /** Names by id of deleted projects that have something left. */
  readonly #left = new Map<string, string>();
  /** What an erasure waits for. */
  erasing: Promise<void> = Promise.resolve();
  /** Whether an import names a project that is not there. */
  projectIsUnknown = false;
  readonly runner = new JobRunner({ commands: this.#commands(), jobs: this.jobs, logger: { warn: () => undefined } });
  readonly ports = this.#ports();

  set unreachable(unreachable: boolean) {
    this.projects.unreachable = this.jobs.unreachable = unreachable;
  }

  #commands(): Record<JobKind, Command> {
    const kinds = ['dead-letters replay', 'dead-letters drop', 'replay build', 'replay compare', 'replay swap'].concat([
      'replay drop',
      'replay rollback',
      'verify',
      'import',
      'backup',
      'users erase',
    ]) as JobKind[];
    const done = kinds.map((kind): [JobKind, Command] => [kind, async (args) => RESULTS[kind] ?? args]);
    return {
      ...(Object.fromEntries(done) as Record<JobKind, Command>),
      'project erase': async ({ project }, { signal }) => {
        await Promise.race([this.erasing, once(signal, 'abort')]);
        signal.throwIfAborted();
        this.#left.delete(String(project));
        return { project, users: 1, tables: 9 };
      },
    };
  }

  #ports(): Omit<AdminPorts, 'figures'> {
    const unknown = { project_id: null, message_id: null, settled_at: null, copy: null, copy_of: null, code: null };
    const failed = { failed_at: '2026-11-24T14:00:00.000000Z', attempts: [] };
    const letter = { id: DEAD_LETTER, state: 'waiting', bytes: 0, ...failed, ...unknown };
    const facets = { reader: [], topic: [], code: [], project: [], day: [] };
    const none = { project: null, answers: [], messages: 0, behind: 0, rate_limit: null, as_of: null };
    const generation = { kind: 'profiles', created_at: '2026-11-24T14:13:41.494Z', ...none } as const;
    const building: GenerationSummary = { ...generation, number: 2, state: 'building' };
    const generations: GenerationSummary[] = [{ ...generation, number: 1, state: 'live', answers: ['all'] }, building];
    const read = async (result: () => unknown) => this.runner.run('a read', async () => this.#whileThere(result()));
    return {
      projects: this.projects,
      jobs: this.runner,
      deletion: {
        delete: async (id, confirm) => this.#whileThere(await this.#deleted(id, confirm)),
        contentOf: async (id) => {
          await this.projects.updateProject(id, {});
          return this.#whileThere({ users: 3, audiences: 1, keys: 2 });
        },
      },
      deadLetters: {
        list: () => read(() => ({ dead_letters: [letter], next_cursor: null, facets, unreadable: 0 })),
        show: (id) =>
          read(() => {
            if (id !== DEAD_LETTER) throw deadLetterUnknown(id);
            return { ...letter, key_base64: '', value_base64: '', message: null, record: null };
          }),
        edit: async (edit) => this.#whileThere(edited(edit)),
      },
      erasures: new MemoryErasures((value) => this.#ofProject(value)),
      generations: {
        list: async () => this.#whileThere(generations),
        find: async (kind, number) =>
          this.#whileThere(generations.find((one) => one.kind === kind && one.number === number)),
        plan: async () => this.#whileThere(PLANNED),
        changeRate: async () => this.#whileThere(building),
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
            guess: GUESS,
            files: ['history.csv'],
            file_count: 1,
          }),
      },
    };
  }

  async #deleted(id: string, confirm: string | undefined): Promise<Deletion> {
    const known = await this.projects.findProject(id);
    const name = known?.name ?? this.#left.get(id);
    if (name === undefined) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
    if (confirm !== undefined && confirm !== name) throw new TidemarkError('PROJECT_NAME_DIFFERS', 'not its name');
    const leaves = this.has.length > 0 || known === undefined;
    if (leaves && confirm === undefined) return { deleted: false, has: this.has };
    // One that is empty stays, for the requests after this one.
    if (leaves) {
      this.projects.removeProject(id);
      this.#left.set(id, name);
    }
    return { deleted: true, has: [], leaves };
  }

  #ofProject<T>(value: T): T {
    if (this.projectIsUnknown) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
    return this.#whileThere(value);
  }

  #whileThere<T>(value: T): T {
    if (this.jobs.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
    return value;
  }
}
