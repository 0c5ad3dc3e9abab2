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
}

const PAUSE_MS = 500;
const RETRY_MS = 200;
/** Connections that do not flow are given up after this time, and the request is sent again. */
const REQUEST_MS = 20_000;

export class Forgetting {
  /** How many people were asked to be forgotten. */
  people = 0;
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

  /**
   * When nothing is broken any more: resolves once everybody who was asked for is forgotten. Somebody who is not by then is a finding.
   */
  async finish(patienceMs: number): Promise<void> {
    this.#over.abort();
    await this.#running;
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

  /** Whoever is begun with is carried through. */
  async #run(): Promise<void> {
    const { signal } = this.#over;
    for (let number = 0; !signal.aborted; number++) {
      const user = `forgotten ${number}`;
      await this.#post(user);
      await this.#forget(user);
      this.people++;
      await this.#post(user);
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
