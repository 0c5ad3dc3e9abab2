/** People of a project of their own who are forgotten one after another, and of whom more messages come after that. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY } from '../../support/service/service.ts';
import type { Findings } from '../check/findings.ts';
import type { TestedProject } from '../project.ts';

export interface ForgettingOptions {
  readonly project: TestedProject;
  /** Where to ask; any of them. */
  readonly doors: readonly string[];
  readonly findings: Findings;
  /** How many people were forgotten in a run before: of each more messages come, and nothing is ever seen of them again. */
  readonly before?: number;
}

const PAUSE_MS = 500;
const RETRY_MS = 200;
/** Connections that do not flow are given up after this time, and the request is sent again. */
const REQUEST_MS = 20_000;

export class Forgetting {
  /** How many people were asked to be forgotten. */
  people = 0;
  /** Everybody who was asked for, when nobody was to be forgotten any more: a list that a restore takes. */
  listed = '';
  readonly #options: ForgettingOptions;
  readonly #over = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ForgettingOptions) {
    this.#options = options;
  }

  get projectId(): string {
    return this.#options.project.id;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** In the same project, of an installation that follows this one. */
  get moved(): Pick<ForgettingOptions, 'project' | 'before'> {
    return { project: this.#options.project, before: this.people };
  }

  /** When nothing is broken any more: resolves once everybody is forgotten. Somebody who is not by then is a finding. */
  async finish(patienceMs: number): Promise<void> {
    this.#over.abort();
    await this.#running;
    this.listed = await this.#list();
    const deadline = performance.now() + patienceMs;
    const pending = `/v1/admin/erasures?state=pending&limit=1&project=${this.#options.project.id}`;
    for (;;) {
      const answer = await this.#ask('GET', pending, ADMIN_KEY);
      const { erasures } = (await answer.json()) as { readonly erasures: readonly object[] };
      if (erasures.length === 0) return;
      if (performance.now() > deadline) break;
      await sleep(PAUSE_MS);
    }
    this.#options.findings.add('not forgotten', `somebody of ${this.people} people`);
  }

  async #list(): Promise<string> {
    const pages: string[] = [];
    let after = '';
    for (;;) {
      const path = `/v1/admin/erasures?limit=1000&project=${this.projectId}${after}`;
      const page = await (await this.#ask('GET', path, ADMIN_KEY)).text();
      pages.push(page);
      const { next_cursor: cursor } = JSON.parse(page) as { readonly next_cursor: string | null };
      if (cursor === null) break;
      after = `&cursor=${encodeURIComponent(cursor)}`;
    }
    return pages.join('\n');
  }

  /** Whoever is begun with is carried through. */
  async #run(): Promise<void> {
    const { signal } = this.#over;
    const { before = 0 } = this.#options;
    for (let number = 0; number < before && !signal.aborted; number++) await this.#post(nameOf(number));
    for (let number = before; !signal.aborted; number++) {
      const user = nameOf(number);
      await this.#post(user);
      await this.#forget(user);
      this.people++;
      await this.#post(user);
      if (before > 0) await this.#expectNothingOf(nameOf(number % before));
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #post(user: string): Promise<void> {
    const batch = [
      { type: 'identify', user_id: user, traits: { email: `${user.replace(' ', '-')}@example.com` } },
      { type: 'track', user_id: user, anonymous_id: `with ${user}`, event: 'Bought' },
    ];
    await this.#ask('POST', '/v1/batch', this.#options.project.writeKey, { batch });
  }

  async #expectNothingOf(user: string): Promise<void> {
    const { project, findings } = this.#options;
    const { status } = await this.#ask('GET', `/v1/users/${encodeURIComponent(user)}`, project.readKey);
    if (status !== 404) findings.add('forgotten and there again', `${user} is answered ${status}`);
  }

  async #forget(user: string): Promise<void> {
    const path = `/v1/users/${encodeURIComponent(user)}?project=${this.#options.project.id}`;
    // Nobody knows of the person before a reader has come to the first messages.
    while ((await this.#ask('DELETE', path, ADMIN_KEY)).status === 404) await sleep(RETRY_MS);
  }

  /** Again and again, until it is answered: faults go on meanwhile. */
  async #ask(method: string, path: string, key: string, body?: object): Promise<Response> {
    const { doors, findings } = this.#options;
    for (;;) {
      const url = doors[Math.floor(Math.random() * doors.length)] ?? '';
      const headers = { api_key: key, ...(body && { 'content-type': 'application/json' }) };
      const signal = AbortSignal.timeout(REQUEST_MS);
      const request = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(url + path, request).catch(() => undefined);
      if (answer !== undefined && (answer.ok || answer.status === 404)) return answer;
      await answer?.body?.cancel();
      if (answer !== undefined && answer.status < 500 && ![408, 429].includes(answer.status))
        findings.add('wrong answer', `${answer.status} to ${method} ${path}`);
      await sleep(RETRY_MS);
    }
  }
}

function nameOf(number: number): string {
  return `forgotten ${number}`;
}
