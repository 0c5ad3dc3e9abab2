import type { Micros } from '../../messages/message.ts';
import type { JoinChange } from '../../stores/analytics/joins.ts';
import type { EvaluatedBy } from '../saved/audience-follower.ts';
import { Followed, type Inserted, Interned } from './followed.ts';
import type { Chosen } from './ticker.ts';

/** Users of a project of whom anything is remembered: that they were decided, or that their ids were joined or parted. */
const MAX_REMEMBERED = 200_000;
const UNDATED_AT_ONCE = 2_000;

/** The live audiences of a project. */
interface OfProject {
  readonly audiences: Set<Followed>;
  /** Users decided for every audience that has users of whom nothing is known. */
  readonly decided: Set<string>;
  /** Users for whom it has changed whose an anonymous id is, and who are not decided yet. */
  readonly joinChanges: Map<string, JoinChange>;
}

/** The live audiences that are held or follow, by their projects. It does no I/O. */
export class FollowedAudiences {
  readonly #byId = new Map<string, Followed>();
  readonly #projects = new Map<string, OfProject>();
  readonly #interned = new Interned();

  get(id: string): Followed | undefined {
    return this.#byId.get(id);
  }

  /** Those that follow. */
  following(): readonly Followed[] {
    return [...this.#byId.values()].filter(({ by }) => by !== undefined);
  }

  /** The users to be decided at this instant. */
  take(at: Micros): readonly Chosen[] {
    const joinChanges = new Map(this.projects().map((id) => [id, new Map(this.#projects.get(id)?.joinChanges)]));
    for (const project of this.#projects.values()) project.joinChanges.clear();
    return this.following().map((followed) => {
      const users = followed.candidates;
      followed.candidates = new Set();
      for (const user of followed.dues.due(at)) users.add(user);
      for (const user of followed.undated?.splice(0, UNDATED_AT_ONCE) ?? []) users.add(user);
      return { followed, users, joinChanges: joinChanges.get(followed.projectId) ?? new Map<string, JoinChange>() };
    });
  }

  /** What was chosen is to be decided again. */
  giveBack(chosen: readonly Chosen[]): void {
    for (const { followed, users, joinChanges } of chosen) {
      for (const user of users) followed.candidates.add(user);
      for (const [user, joinChange] of joinChanges)
        this.#projects.get(followed.projectId)?.joinChanges.set(user, joinChange);
    }
  }

  flooded(): readonly Followed[] {
    return this.following().filter(({ isFlooded }) => isFlooded);
  }

  nextDue(): Micros | undefined {
    let next: Micros | undefined;
    for (const { dues, undated, by } of this.#byId.values()) {
      if (by === undefined) continue;
      if (undated !== null) return 0n;
      if (dues.next !== undefined && (next === undefined || dues.next < next)) next = dues.next;
    }
    return next;
  }

  /** Whether any project has its answers from this generation. */
  wants(generation: number): boolean {
    for (const followed of this.#byId.values()) if (followed.generation === generation) return true;
    return false;
  }

  projects(): readonly string[] {
    return [...this.#projects.keys()];
  }

  /** From now on what is inserted is remembered, of this generation. */
  hold(id: string, projectId: string, generation: number): void {
    this.remove(id);
    const project = this.#projects.get(projectId) ?? {
      audiences: new Set(),
      decided: new Set(),
      joinChanges: new Map(),
    };
    this.#projects.set(projectId, project);
    const followed = new Followed(id, projectId, generation);
    project.audiences.add(followed);
    this.#byId.set(id, followed);
  }

  /** @param at When it was evaluated. */
  follow(followed: Followed, by: EvaluatedBy, at: Micros): void {
    followed.follow(by, at, this.#interned.intern);
    this.#interned.keepOnly(this.following().flatMap(({ conditions }) => conditions));
    this.#projects.get(followed.projectId)?.decided.clear();
  }

  remove(id: string): void {
    const followed = this.#byId.get(id);
    if (followed !== undefined) this.removeExactly(followed);
  }

  /** Not one that holds the audience since. */
  removeExactly(followed: Followed): void {
    const { id, projectId } = followed;
    if (this.#byId.get(id) === followed) this.#byId.delete(id);
    const project = this.#projects.get(projectId);
    project?.audiences.delete(followed);
    if (project?.audiences.size === 0) this.#projects.delete(projectId);
  }

  clear(): void {
    this.#byId.clear();
    this.#projects.clear();
  }

  /** Returns whether any of it is to be decided. */
  touch(generation: number, users: Inserted): boolean {
    let isAny = false;
    for (const touched of users) {
      const project = this.#projects.get(touched.projectId);
      if (project === undefined) continue;
      // Audiences that are held for long take none. The cause of users beyond the bound is `live`.
      if (touched.joinChange && project.joinChanges.size < MAX_REMEMBERED)
        project.joinChanges.set(touched.userKey, touched.joinChange);
      const isKnown = (): boolean => project.decided.has(touched.userKey);
      for (const followed of project.audiences) {
        if (followed.generation !== generation) continue;
        isAny = true;
        followed.touch(touched, isKnown);
      }
    }
    return isAny;
  }

  /** Remembers who need not be decided again because a message names them that an audience does not ask about. */
  noteDecided(chosen: readonly Chosen[]): void {
    for (const [projectId, ofProject] of Map.groupBy(chosen, ({ followed }) => followed.projectId)) {
      const project = this.#projects.get(projectId);
      const fitting = [...(project?.audiences ?? [])].filter(({ by }) => by?.mentions.fitsUnknown === true);
      const [first, ...others] = fitting.map((followed) => ofProject.find((one) => one.followed === followed)?.users);
      if (project === undefined || first === undefined) continue;
      if (project.decided.size > MAX_REMEMBERED) project.decided.clear();
      for (const user of first) if (others.every((users) => users?.has(user) === true)) project.decided.add(user);
    }
  }
}
