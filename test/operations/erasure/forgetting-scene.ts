import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { blankerOn } from '../../../services/operations/erasure/blank-records.ts';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { ErasureRequests } from '../../../services/operations/erasure/erasure-requests.ts';
import { forgetUsers, type ForgottenUsers } from '../../../services/operations/erasure/forget-users.ts';
import { eventsToErase, readErasureQuestion } from '../../../services/questions/events/events-to-erase.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { SettledDeadLetters } from '../../../services/operations/dead-letters/settled-dead-letters.ts';
import { importsFolderOf } from '../../../services/operations/import/import-request.ts';
import type { Job } from '../../../services/operations/jobs/job.ts';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { addLetters } from '../../../services/stores/profiles/dead-letter-rows.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { codec, recordOf } from '../../support/messages/messages.ts';
import { AMPLE, MessageMaker } from '../../support/stores/analytics.ts';
import { tablesWith } from '../../support/stores/tables-with.ts';
import type { WholeInstallation } from '../../support/service/whole-installation.ts';

export const SILENT = { report: () => undefined, signal: new AbortController().signal };

const JOB: Job = {
  id: 'job_1',
  kind: 'users erase',
  args: {},
  principal: 'local',
  state: 'queued',
  progress: null,
  rate: null,
  result: null,
  failure: null,
  createdAtMs: 0,
  startedAtMs: null,
  finishedAtMs: null,
};

/** An installation in which people are forgotten. */
export class ForgettingScene {
  /** What nothing but the messages of the person says whose project was made last. */
  mark = '';
  email = '';
  readonly #installation: () => WholeInstallation;
  readonly #dataDir: string | undefined;
  /** Stands for a log on Kafka with the topic of changes. */
  topicKept: EventLog['keptMs'];

  /** @param dataDir Where the log and the files of imports are, whose records and lines go too. */
  constructor(installation: () => WholeInstallation, dataDir?: string) {
    this.#installation = installation;
    this.#dataDir = dataDir;
  }

  #parts(pauseMs = 1) {
    const { log, database, analytics } = this.#installation();
    const kept = {
      ends: log.ends.bind(log),
      scan: log.scan.bind(log),
      append: log.append.bind(log),
      ...(this.topicKept && { keptMs: this.topicKept }),
    };
    const parts = { codec, log: kept, database, analytics, pauseMs };
    if (this.#dataDir === undefined) return parts;
    const blank = blankerOn({ log, codec, database });
    return { ...parts, ...(blank && { blank }), importsFolder: importsFolderOf(this.#dataDir) };
  }

  forget(call: CommandCall = SILENT, pauseMs = 1): Promise<ForgottenUsers> {
    return forgetUsers(this.#parts(pauseMs), call);
  }

  /** Asks for it, without the job. */
  request(projectId: string, ids: readonly string[], suppress = true) {
    return this.#requests().request({ projectId, users: named(projectId, ids), suppress, actor: 'local' });
  }

  /** Asks for events to be erased, without the job. Returns how many there are. */
  async requestEvents(projectId: string, asked: object): Promise<number> {
    const text = JSON.stringify(asked);
    const question = readErasureQuestion({ text, project: { timezone: 'UTC' } });
    if (!question.ok) throw new Error(JSON.stringify(question.problems));
    const { analytics } = this.#installation();
    const budget = new QueryBudget(analytics, AMPLE);
    const context = { projectId, now: BigInt(Date.now()) * 1_000n };
    const events = await eventsToErase(budget, context, question.value);
    const count = [...events.values()].flat().length;
    const described = JSON.stringify({ properties: ['note'], condition_sha256: 'c'.repeat(64) });
    if (count > 0) await this.#requests().requestEvents({ projectId, actor: 'local', described, events });
    return count;
  }

  /** What that would delete. */
  plan(projectId: string, ids: readonly string[]) {
    return this.#requests().plan(projectId, named(projectId, ids));
  }

  #requests(): ErasureRequests {
    const jobs = { startDue: async () => ({ job: JOB, isBegun: true }) };
    const { signal: stopping } = SILENT;
    return new ErasureRequests({
      stores: async () => this.#parts(),
      tell: async () => undefined,
      jobs,
      stopping,
      logger: console,
    });
  }

  async brokenOffAt(step: number): Promise<ForgottenUsers | undefined> {
    const breaking = new AbortController();
    let reports = 0;
    const report = (): void => {
      if (reports++ === step) breaking.abort(new Error('broken off'));
    };
    try {
      return await this.forget({ report, signal: breaking.signal });
    } catch (error) {
      expect(error).toMatchObject({ message: 'broken off' });
      return undefined;
    }
  }

  /** A project with two people whose messages were read, and texts about one of them. @param person The id of that one. */
  async projectWithPeople(name: string, person = 'ada'): Promise<MessageMaker> {
    const { database } = this.#installation();
    this.mark = `mark-${randomUUID()}`;
    this.email = `ada-${randomUUID()}@example.com`;
    const { id } = await new SqlProjectStore(database).createProject({ name, timezone: 'UTC', rateLimit: null });
    const shop = new MessageMaker(id);
    await this.#installation().append(traffic(shop, person, this.mark, this.email));
    await this.#installation().readAll();
    await this.#plantTexts(database, shop, person);
    return shop;
  }

  async #plantTexts(database: Database, shop: MessageMaker, person: string): Promise<void> {
    const example = `{"user_id":"${person}","traits":{"email":"${this.email}"}}`;
    await database.query(
      `insert into refusals values ($1, '', '/v1/track', 'invalid-body', '', 1, 1, 0, 0, 'no', $2)`,
      [shop.projectId, example],
    );
    await database.query(
      `insert into repeats (name, principal, fingerprint, made_at_ms, status, headers, body)
       values ($1, 'local', 'f', 0, 200, '{}', $2)`,
      [shop.projectId, example],
    );
    const { key, value } = recordOf(shop.track({ userId: person, properties: `{"note":"${this.mark}"}` }));
    const at = { topic: 'tidemark.track', partition: 0, offset: BigInt(Math.floor(Math.random() * 2 ** 40)) };
    await new SettledDeadLetters(database).beginEdit(at, { key, value, digest: new Uint8Array(32) });
    const { topic, partition, offset } = at;
    const letter = {
      topic,
      partition,
      log_offset: offset,
      reader: 'sink',
      letter_offset: 0n,
      appended_at_ms: 0,
      bytes: 1,
      failed_at_us: 0n,
      error: `refused ${this.mark}`,
      code: null,
      message_id: 'm',
      received_at_us: 0n,
      project_id: shop.projectId,
      user_key: userKeyOf(shop.projectId, person),
      user_id: person,
      event: null,
    };
    // The log does not have this partition.
    await addLetters(database, 999, { offset: 0n, appendedAtMs: 0 }, [letter]);
  }

  /** Everybody of the project is in the audience. */
  async evaluate(projectId: string, at: bigint) {
    const members = `SELECT user, user_id, '' AS anonymous_id, internal_id, true AS is_in
                     FROM users WHERE project_id = {p:String}`;
    const audience = { projectId, audienceId: 'aud_1', at, version: 1, cause: 'refresh' } as const;
    const query = { sql: members, params: { p: projectId } };
    const { analytics } = this.#installation();
    const found = await analytics.difference(audience, query, AMPLE);
    await analytics.finalize(audience);
    return found;
  }

  /** Rows of a person in analytics as questions see them, by table. */
  async rowsOf(projectId: string, userId: string): Promise<Readonly<Record<string, number>>> {
    const found = await this.#installation().analytics.countOf({ projectId, users: [userKeyOf(projectId, userId)] });
    return Object.fromEntries(found.map(({ table, rows }) => [table, rows]));
  }

  tablesWith(texts: readonly string[]): Promise<readonly string[]> {
    return tablesWith(this.#installation(), texts);
  }
}

function named(projectId: string, ids: readonly string[]) {
  return ids.map((name) => ({ name, userKey: userKeyOf(projectId, name), isAnonymous: false }));
}

/** Messages of two people: of the first everything that a message can say. */
function traffic(shop: MessageMaker, userId: string, mark: string, email: string): readonly Message[] {
  return [
    shop.track({ userId, timestamp: 5n, properties: `{"note":"${mark}"}` }),
    shop.track({ userId, messageIdGiven: false, anonymousId: 'a-own' }),
    shop.track({ userId: 'ben', anonymousId: 'a-2' }),
    shop.identify({ userId, traits: `{"plan":"pro","email":"${email}"}` }),
    shop.identify({ userId: 'ben', traits: '{"plan":"free"}' }),
    shop.session({ userId }),
  ];
}
