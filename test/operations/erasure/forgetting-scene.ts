import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ErasureRequests } from '../../../services/operations/erasure/erasure-requests.ts';
import { forgetUsers, type ForgottenUsers } from '../../../services/operations/erasure/forget-users.ts';
import { SettledDeadLetters } from '../../../services/operations/dead-letters/settled-dead-letters.ts';
import type { Job } from '../../../services/operations/jobs/job.ts';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { codec, recordOf } from '../../support/messages/messages.ts';
import { AMPLE, ask, MessageMaker } from '../../support/stores/analytics.ts';
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

  constructor(installation: () => WholeInstallation) {
    this.#installation = installation;
  }

  #parts(pauseMs = 1) {
    const { database, analytics } = this.#installation();
    return { codec, database, analytics, pauseMs };
  }

  forget(call: CommandCall = SILENT, pauseMs = 1): Promise<ForgottenUsers> {
    return forgetUsers(this.#parts(pauseMs), call);
  }

  /** Asks for it, without the job. */
  request(projectId: string, ids: readonly string[]) {
    const jobs = { list: async () => [], start: async () => JOB };
    const { signal: stopping } = SILENT;
    const requests = new ErasureRequests({
      stores: async () => this.#parts(),
      tell: async () => undefined,
      jobs,
      stopping,
      logger: console,
    });
    const users = ids.map((name) => ({ name, userKey: userKeyOf(projectId, name), isAnonymous: false }));
    return requests.request({ projectId, users, suppress: true, actor: 'local' });
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

  /** A project with two people whose messages were read, and texts about one of them. */
  async projectWithPeople(name: string): Promise<MessageMaker> {
    const { database } = this.#installation();
    this.mark = `mark-${randomUUID()}`;
    this.email = `ada-${randomUUID()}@example.com`;
    const { id } = await new SqlProjectStore(database).createProject({ name, timezone: 'UTC', rateLimit: null });
    const shop = new MessageMaker(id);
    await this.#installation().append(traffic(shop, this.mark, this.email));
    await this.#installation().readAll();
    await this.#plantTexts(database, shop);
    return shop;
  }

  async #plantTexts(database: Database, shop: MessageMaker): Promise<void> {
    const example = `{"user_id":"ada","traits":{"email":"${this.email}"}}`;
    await database.query(
      `insert into refusals values ($1, '', '/v1/track', 'invalid-body', '', 1, 1, 0, 0, 'no', $2)`,
      [shop.projectId, example],
    );
    await database.query(
      `insert into repeats (name, principal, fingerprint, made_at_ms, status, headers, body)
       values ($1, 'local', 'f', 0, 200, '{}', $2)`,
      [shop.projectId, example],
    );
    const { key, value } = recordOf(shop.track({ properties: `{"note":"${this.mark}"}` }));
    const at = { topic: 'tidemark.track', partition: 0, offset: BigInt(Math.floor(Math.random() * 2 ** 40)) };
    await new SettledDeadLetters(database).beginEdit(at, { key, value, digest: new Uint8Array(32) });
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

  /** Every table of both stores that has one of these texts anywhere in a row. */
  async tablesWith(texts: readonly string[]): Promise<readonly string[]> {
    return [...(await this.#tablesOfPostgres(texts)), ...(await this.#tablesOfAnalytics(texts))].toSorted();
  }

  async #tablesOfPostgres(texts: readonly string[]): Promise<readonly string[]> {
    const { database } = this.#installation();
    const tables = await database.query<{ readonly name: string }>(
      `select tablename::text as name from pg_tables where schemaname = current_schema()`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const sql = `select 1 from ${name} as t
                   where exists (select from unnest($1::text[]) as wanted
                                 where position(wanted in t::text) > 0
                                    or position(encode(convert_to(wanted, 'UTF8'), 'hex') in t::text) > 0) limit 1`;
      if ((await database.query(sql, [texts])).length > 0) found.push(name);
    }
    return found;
  }

  async #tablesOfAnalytics(texts: readonly string[]): Promise<readonly string[]> {
    const { analytics } = this.#installation();
    const found: string[] = [];
    const tables = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '.%'
                    AND (engine LIKE '%MergeTree' OR engine = 'Distributed')`;
    for (const { name: table } of (await ask(analytics, tables)) as readonly { name: string }[]) {
      const sql = `SELECT 1 FROM ${table}
                   WHERE multiSearchAny(formatRowNoNewline('JSONEachRow', *), {texts:Array(String)}) LIMIT 1`;
      const { rows } = await analytics.ask({ sql, params: { texts: [...texts] } }, AMPLE);
      if (rows.length > 0) found.push(table);
    }
    return found;
  }
}

/** Messages of two people: of ada everything that a message can say. */
function traffic(shop: MessageMaker, mark: string, email: string): readonly Message[] {
  return [
    shop.track({ timestamp: 5n, properties: `{"note":"${mark}"}` }),
    shop.track({ messageIdGiven: false, anonymousId: 'a-own' }),
    shop.track({ userId: 'ben', anonymousId: 'a-2' }),
    shop.identify({ traits: `{"plan":"pro","email":"${email}"}` }),
    shop.identify({ userId: 'ben', traits: '{"plan":"free"}' }),
    shop.session(),
  ];
}
