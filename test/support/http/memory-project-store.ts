import { randomBytes } from 'node:crypto';
import {
  type ApiKey,
  type FirstKey,
  type LostProject,
  type NewKey,
  type NewProject,
  DEFAULT_SETTINGS,
  type Project,
  type ProjectChanges,
  type ProjectsSnapshot,
  type ProjectStore,
  SCOPES,
} from '../../../services/stores/projects/project-store.ts';
import { firstScope } from '../../../services/stores/projects/keys.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';

/** A project store in memory that can be unreachable. Held to the same contract as the real one. */
export class MemoryProjectStore implements ProjectStore {
  readonly #projects = new Map<string, Project>();
  readonly #keys = new Map<string, ApiKey>();
  /** By their hashes. */
  readonly #awaiting = new Set<string>();
  #count = 0;
  /** While true, everything throws `STORE_UNAVAILABLE`. */
  unreachable = false;
  /** How often `snapshot` was asked. */
  snapshots = 0;
  /** The most calls of `snapshot` that were under way at once. */
  mostAtOnce = 0;
  /** What `snapshot` waits for between reading and answering. */
  gate: Promise<void> | undefined;
  #underWay = 0;
  /** While true, `noteUsed` alone throws `STORE_UNAVAILABLE`. */
  notingFails = false;
  /** The ids of each call of `noteUsed`. */
  readonly noted: (readonly string[])[] = [];

  async snapshot(): Promise<ProjectsSnapshot> {
    this.snapshots += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    const keys = [...this.#keys.values()].filter(({ revokedAtMs }) => revokedAtMs === null);
    const projects = [...this.#projects.values()];
    await this.gate;
    this.#underWay -= 1;
    this.#check();
    return { projects, keys };
  }

  /** With its keys. */
  removeProject(id: string): void {
    this.#projects.delete(id);
    for (const key of this.#keys.values()) if (key.projectId === id) this.#keys.delete(key.id);
  }

  async createProject(project: NewProject | LostProject): Promise<Project> {
    this.#check();
    const made = {
      ...DEFAULT_SETTINGS,
      id: `proj_${this.#id()}`,
      sessionSecret: Uint8Array.from(randomBytes(32)),
      createdAtMs: Date.now(),
      ...project,
    };
    this.#projects.set(made.id, made);
    return made;
  }

  async createFirstProject(project: NewProject | LostProject, keys: readonly FirstKey[]): Promise<Project | undefined> {
    this.#check();
    if (this.#projects.size > 0) return undefined;
    const made = await this.createProject(project);
    for (const key of keys) await this.#addFirst(key.scopes.includes('admin') ? null : made.id, key);
    return made;
  }

  async keysAwaitingShowing(): Promise<readonly ApiKey[]> {
    this.#check();
    return [...this.#keys.values()].filter((key) => key.revokedAtMs === null && this.#awaiting.has(key.sha256));
  }

  async replaceAwaitingKeys(ids: readonly string[], keys: readonly FirstKey[]): Promise<Project | undefined> {
    this.#check();
    const lost = [...this.#keys.values()].filter(({ id }) => ids.includes(id));
    if (lost.some(({ sha256, revokedAtMs }) => revokedAtMs !== null || !this.#awaiting.has(sha256))) return undefined;
    const [project] = lost.length === 0 ? [] : this.#projects.values();
    for (const key of lost) this.#keys.set(key.id, { ...key, revokedAtMs: Date.now() });
    for (const { projectId, scopes } of lost) {
      const others = keys.filter((other) => firstScope(other.scopes) === firstScope(scopes));
      for (const key of others) await this.#addFirst(projectId, key);
    }
    return project;
  }

  async noteShown(sha256s: readonly string[]): Promise<boolean> {
    this.#check();
    const usable = [...this.#keys.values()].filter((key) => key.revokedAtMs === null && sha256s.includes(key.sha256));
    for (const { sha256 } of usable) this.#awaiting.delete(sha256);
    return usable.length === sha256s.length;
  }

  async #addFirst(projectId: string | null, key: FirstKey): Promise<void> {
    await this.addKey(projectId, key);
    if (key.awaitsShowing) this.#awaiting.add(key.sha256);
  }

  async updateProject(id: string, changes: ProjectChanges): Promise<Project> {
    const changed = { ...this.#project(id), ...changes };
    this.#projects.set(id, changed);
    return changed;
  }

  async listProjects(): Promise<readonly Project[]> {
    this.#check();
    return [...this.#projects.values()];
  }

  async findProject(id: string): Promise<Project | undefined> {
    this.#check();
    return this.#projects.get(id);
  }

  async findProjectNamed(idOrName: string): Promise<Project | undefined> {
    this.#check();
    return this.#projects.get(idOrName) ?? [...this.#projects.values()].find(({ name }) => name === idOrName);
  }

  async addKey(projectId: string | null, { scopes, sha256, name = null }: NewKey): Promise<ApiKey> {
    this.#check();
    if (projectId !== null) this.#project(projectId);
    const taken = [...this.#keys.values()].some((key) => key.sha256 === sha256);
    if (taken) throw new TidemarkError('STORE_REJECTED', 'taken');
    const isAdmin = scopes.includes('admin');
    const isSound = scopes.length > 0 && isAdmin === (projectId === null) && (!isAdmin || scopes.length === 1);
    if (!isSound) throw new TidemarkError('STORE_REJECTED', 'not a set of scopes of such a key');
    const id = `key_${this.#id()}`;
    const inOrder = SCOPES.filter((scope) => scopes.includes(scope));
    const times = { lastUsedDay: null, createdAtMs: Date.now(), revokedAtMs: null };
    const made = { id, projectId, scopes: inOrder, name, sha256, ...times };
    this.#keys.set(id, made);
    return made;
  }

  async noteUsed(ids: readonly string[], day: string): Promise<void> {
    this.#check();
    this.noted.push(ids);
    if (this.notingFails) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
    for (const [id, key] of this.#keys) {
      if (ids.includes(id) && day > (key.lastUsedDay ?? '')) this.#keys.set(id, { ...key, lastUsedDay: day });
    }
  }

  async listKeys(projectId?: string | null): Promise<readonly ApiKey[]> {
    this.#check();
    return [...this.#keys.values()].filter((key) => projectId === undefined || key.projectId === projectId);
  }

  async revokeKey(keyId: string): Promise<ApiKey> {
    this.#check();
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new TidemarkError('KEY_UNKNOWN', keyId);
    const revoked = { ...key, revokedAtMs: key.revokedAtMs ?? Date.now() };
    this.#keys.set(keyId, revoked);
    return revoked;
  }

  #project(id: string): Project {
    this.#check();
    const project = this.#projects.get(id);
    if (project === undefined) throw new TidemarkError('PROJECT_UNKNOWN', id);
    return project;
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
  }

  #id(): string {
    this.#count += 1;
    return String(this.#count).padStart(20, '0');
  }
}
