import type {
  Erasures,
  ForgettingAnswer,
  ForgettingPlan,
  ForgettingRequest,
  NamedPerson,
} from '../../../services/operations/erasure/erasure-requests.ts';
import type { Erasure, ErasureFilter } from '../../../services/stores/erasures/erasure.ts';

/** The id of the first erasure that it makes. */
export const ERASURE = 'erasure_00000000000000000001';
/** Nothing is known of this one. */
export const NOBODY_ID = 'nobody';

const AT = 1_790_000_000_000_000n;

/** Erasures in memory: everybody is known but one. */
export class MemoryErasures implements Erasures {
  readonly made: Erasure[] = [];
  readonly #whileThere: <T>(value: T) => T;

  constructor(whileThere: <T>(value: T) => T) {
    this.#whileThere = whileThere;
  }

  async request({ users, projectId, suppress, actor }: ForgettingRequest): Promise<ForgettingAnswer> {
    const known = users.filter(({ name }) => name !== NOBODY_ID);
    const erasures = known.map(({ userKey }) => this.#make(projectId, userKey, suppress, actor));
    return this.#whileThere({ erasures, shared: ['5b1f'], unknown: unknownOf(users) });
  }

  async plan(_: string, users: readonly NamedPerson[]): Promise<ForgettingPlan> {
    const keys = users.filter(({ name }) => name !== NOBODY_ID).map(({ userKey }) => userKey);
    const rows = { postgres: { users: keys.length }, clickhouse: { user_rows: keys.length } };
    return this.#whileThere({ users: keys, ...rows, shared: [], unknown: unknownOf(users) });
  }

  async list({ state }: ErasureFilter, limit: number): Promise<readonly Erasure[]> {
    const found = this.made.filter((one) => state === undefined || one.state === state);
    return this.#whileThere(found.toReversed().slice(0, limit));
  }

  async find(id: string): Promise<Erasure | undefined> {
    return this.#whileThere(this.made.find((one) => one.id === id));
  }

  async newestOf(projectId: string, userKey: string): Promise<Erasure | undefined> {
    return this.#whileThere(this.made.findLast((one) => one.projectId === projectId && one.userKey === userKey));
  }

  async lift(id: string): Promise<Erasure | undefined> {
    const index = this.made.findIndex((one) => one.id === id);
    const found = this.made[index];
    if (found !== undefined) this.made[index] = { ...found, suppress: false, liftedAt: AT };
    return this.#whileThere(this.made[index]);
  }

  #make(projectId: string, userKey: string, suppress: boolean, actor: string): Erasure {
    const id = `erasure_${String(this.made.length + 1).padStart(20, '0')}`;
    const times = { requestedAt: AT, dueAt: AT + 1n, cut: null, finishedAt: null, liftedAt: null };
    const report = JSON.stringify({ postgres: { users: 1 }, clickhouse: {}, log: null });
    const made: Erasure = {
      id,
      projectId,
      userKey,
      cameWith: null,
      suppress,
      state: 'pending',
      ...times,
      waitsBecause: null,
      actor,
      report,
      names: [],
    };
    this.made.push(made);
    return made;
  }
}

function unknownOf(users: readonly NamedPerson[]): readonly string[] {
  return users.flatMap(({ name, userKey }) => (name === NOBODY_ID ? [userKey] : []));
}
