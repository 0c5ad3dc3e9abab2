/** Keeps in analytics whose anonymous ids are, as inserts bring sightings. */
import type { Message } from '../../messages/message.ts';
import { sightingsOf } from '../../messages/sdk/sightings.ts';
import { anonymousKeyOf } from '../../messages/user-key.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { AnalyticsWriter } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { DecidedJoin } from '../../stores/analytics/joins.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { JoinDecision } from '../../stores/profiles/sql-join-decisions.ts';
import type { SqlSinkPlans } from '../../stores/profiles/sql-sink-plans.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import type { TouchedUser } from './touched.ts';
import type { UsersSeen } from './users-seen.ts';

export interface JoinsParts {
  readonly analytics: Pick<AnalyticsWriter, 'keepJoins'>;
  readonly plans: Pick<SqlSinkPlans, 'joins'>;
}

/** A user and an anonymous id that came beside the user id. */
interface SeenPair {
  readonly projectId: string;
  readonly userKey: string;
  readonly anonymousId: string;
  readonly version: string;
}

/** Browsers send both ids with every event, so that most pairs have been kept before. Each takes some 200 bytes. */
const MAX_KEPT = 50_000;

const DECISIONS_AT_ONCE = 1_000;

export class Joins {
  readonly #parts: JoinsParts;
  /** Pairs that were kept, each with the lowest version: a higher one changes nothing. */
  readonly #kept = new Map<string, string>();
  #wanted: WantedMessages | undefined;
  /** The last decision that analytics has; none is known of a process that has just started. */
  #decidedThrough = 0n;

  constructor(parts: JoinsParts) {
    this.#parts = parts;
  }

  /**
   * Keeps whose the anonymous ids of an insert are, once its sightings are there, and of those of which an operator has decided:
   * whoever has the highest number has seen all of them. To be called before the insert is noted, so that a crash repeats it.
   *
   * @param wanted What the insert was made by. Pairs of people who were forgotten since may be new.
   * @returns Users of whom that may change anything.
   */
  async keep(
    seen: readonly UsersSeen[],
    messages: readonly Message[],
    wanted: WantedMessages | undefined,
  ): Promise<readonly TouchedUser[]> {
    if ((wanted?.forgottenSince(this.#wanted).length ?? 0) > 0) this.#kept.clear();
    this.#wanted = wanted;
    const fresh = await this.#freshOf(seen, messages);
    const touched = await this.#keepIds(anonymousIn(fresh.values()));
    this.#note(fresh);
    return touched;
  }

  /** As `keep`, of what a snapshot says of users. */
  async keepSeen(changes: readonly ProfileChange[]): Promise<void> {
    const pairs = changes.flatMap(({ projectId, userKey, sightings }) =>
      Array.from(sightings, ([anonymousId, version]): SeenPair => ({ projectId, userKey, anonymousId, version })),
    );
    await this.#keepIds(anonymousIn(pairs));
  }

  /** Keeps what operators have decided since. @returns As `keep`. */
  keepDecided(): Promise<readonly TouchedUser[]> {
    return this.#keepIds(new Map());
  }

  async #keepIds(ids: ReadonlyMap<string, ReadonlySet<string>>): Promise<readonly TouchedUser[]> {
    const { analytics, plans } = this.#parts;
    const decided = await plans.joins.after(this.#decidedThrough, DECISIONS_AT_ONCE);
    if (ids.size === 0 && decided.length === 0) return [];
    const number = await plans.joins.nextNumber();
    const byProject = Map.groupBy(decided, ({ projectId }) => projectId);
    const touched: TouchedUser[] = [];
    for (const projectId of new Set([...ids.keys(), ...byProject.keys()])) {
      const decisions = byProject.get(projectId) ?? [];
      const keys = [...new Set([...(ids.get(projectId) ?? []), ...decisions.map(({ userKey }) => userKey)])];
      const question = { projectId, anonymous: keys.map(userNumber), decisions: decisions.map(decidedJoin) };
      const concerned = await analytics.keepJoins(question, number);
      for (const { userKey, joinChange } of concerned) touched.push({ projectId, userKey, names: null, joinChange });
    }
    this.#decidedThrough = decided.at(-1)?.number ?? this.#decidedThrough;
    return touched;
  }

  /** Pairs that were not kept yet, each once. Yields to the event loop every 2 ms. */
  async #freshOf(seen: readonly UsersSeen[], messages: readonly Message[]): Promise<ReadonlyMap<string, SeenPair>> {
    const yielder = new EventLoopYielder();
    const fresh = new Map<string, SeenPair>();
    const add = (pair: SeenPair): void => {
      const name = `${pair.userKey}${pair.anonymousId}`;
      const known = fresh.get(name)?.version ?? this.#kept.get(name);
      if (known === undefined || pair.version < known) fresh.set(name, pair);
    };
    for (const users of seen) {
      for (const { projectId, userKey, sightings } of users.users()) {
        if (yielder.isOver()) await yielder.next();
        for (const [anonymousId, version] of sightings ?? []) add({ projectId, userKey, anonymousId, version });
      }
    }
    for (const message of messages) {
      if (yielder.isOver()) await yielder.next();
      const { projectId, userKey, version } = message;
      for (const anonymousId of sightingsOf(message)) add({ projectId, userKey, anonymousId, version });
    }
    return fresh;
  }

  #note(pairs: ReadonlyMap<string, SeenPair>): void {
    for (const [name, { version }] of pairs) this.#kept.set(name, version);
    for (const name of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.#kept.delete(name);
    }
  }
}

/** By project the internal ids of those who are known by the anonymous ids of these pairs alone. */
function anonymousIn(pairs: Iterable<SeenPair>): ReadonlyMap<string, ReadonlySet<string>> {
  const byProject = Map.groupBy(pairs, ({ projectId }) => projectId);
  return new Map(
    [...byProject].map(([projectId, own]) => [
      projectId,
      new Set(own.map(({ anonymousId }) => anonymousKeyOf(projectId, anonymousId))),
    ]),
  );
}

function decidedJoin({ userKey, says, personKey, number }: JoinDecision): DecidedJoin {
  return { user: userNumber(userKey), says, person: personKey === null ? '0' : userNumber(personKey), number };
}
