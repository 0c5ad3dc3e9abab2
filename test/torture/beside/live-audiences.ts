/** Live audiences beside the load: saved at its beginning, and read when all of it has come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_DEFINITIONS, type LiveReport } from '../check/check-live.ts';
import type { TestedProject } from '../project.ts';

const RETRY_MS = 500;

interface Saved {
  readonly id: string;
  readonly index: number;
  readonly project: TestedProject;
}

interface AudienceJson {
  readonly id: string;
  readonly name: string;
  readonly live_through: string | null;
}

interface ChangeLine {
  readonly internal_id: string;
  readonly change: 'entered' | 'left';
}

export class LiveAudiences {
  #url: () => string;
  readonly #saved: Saved[] = [];

  /** @param url Where the service is now. */
  constructor(url: () => string) {
    this.#url = url;
  }

  /** The service is elsewhere from now on, with the same audiences. */
  moveTo(url: () => string): void {
    this.#url = url;
  }

  /** In turn in each project. */
  async save(projects: readonly TestedProject[]): Promise<void> {
    for (const [index, { definition }] of LIVE_DEFINITIONS.entries()) {
      const project = projects[index % projects.length];
      if (project === undefined) throw new Error('there is no project');
      const audience = { name: `Live ${index}`, definition, refresh: 'live' };
      const id = await this.#create(project, audience);
      this.#saved.push({ id, index, project });
    }
  }

  /** Its id. A service that was killed before it answered may have created it: one of this name is there then. */
  async #create(project: TestedProject, audience: { readonly name: string }): Promise<string> {
    const body = JSON.stringify(audience);
    const created = (await this.#ask(project, '/v1/audiences', { method: 'POST', body }, 409)) as AudienceJson | null;
    if (created !== null) return created.id;
    const { audiences } = (await this.#ask(project, '/v1/audiences')) as { readonly audiences: AudienceJson[] };
    const found = audiences.find(({ name }) => name === audience.name);
    if (found === undefined) throw new Error(`${audience.name} is neither created nor listed`);
    return found.id;
  }

  /** What each of them says once it has come to now. */
  async reports(withinMs: number): Promise<readonly LiveReport[]> {
    const now = new Date().toISOString();
    const deadline = performance.now() + withinMs;
    const reports: LiveReport[] = [];
    for (const saved of this.#saved) {
      for (let through = ''; through < now; through = await this.#throughOf(saved)) {
        if (performance.now() > deadline) throw new Error(`the audience ${saved.index} is not decided up to ${now}`);
        await sleep(RETRY_MS);
      }
      reports.push(await this.#changesOf(saved));
    }
    return reports;
  }

  /** Up to when it is decided. */
  async #throughOf({ id, project }: Saved): Promise<string> {
    return ((await this.#ask(project, `/v1/audiences/${id}`)) as AudienceJson).live_through ?? '';
  }

  async #changesOf({ id, index, project }: Saved): Promise<LiveReport> {
    const response = await fetch(`${this.#url()}/v1/audiences/${id}/changes`, { headers: headersOf(project) });
    if (response.status !== 200) throw new Error(`the changes of audience ${index}: ${response.status}`);
    const lines = (await response.text()).trim().split('\n');
    const { through } = JSON.parse(lines.pop() ?? '') as { readonly through: string };
    const [members, twice] = [new Set<string>(), [] as string[]];
    for (const line of lines) {
      const { internal_id: user, change } = JSON.parse(line) as ChangeLine;
      if (members.has(user) === (change === 'entered')) twice.push(user);
      if (change === 'entered') members.add(user);
      else members.delete(user);
    }
    return { index, projectId: project.id, through: microsOf(through), members, twice };
  }

  /** Again and again, until it is answered: faults go on meanwhile. Null where the status is the expected one. */
  async #ask(project: TestedProject, path: string, request: RequestInit = {}, expected?: number): Promise<unknown> {
    for (;;) {
      const response = await fetch(this.#url() + path, { ...request, headers: headersOf(project) }).catch(
        () => undefined,
      );
      if (response !== undefined && response.status < 300) return response.json();
      if (response !== undefined && response.status === expected) return null;
      if (response !== undefined && response.status < 500 && response.status !== 429)
        throw new Error(`${response.status} of ${path}: ${await response.text()}`);
      await sleep(RETRY_MS);
    }
  }
}

function headersOf({ readKey }: TestedProject): Record<string, string> {
  return { api_key: readKey, 'content-type': 'application/json' };
}

/** Microseconds since 1970, from a text such as `2026-11-20T09:15:00.200000Z`. */
function microsOf(time: string): bigint {
  const [whole = '', fraction = ''] = time.slice(0, -1).split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
