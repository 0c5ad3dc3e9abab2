/** The endpoints that a process is sending to, and which projects may have another of them. */
import type { EndpointClaim } from './endpoint-store.ts';

/** Endpoints that a process sends to at once. */
const AT_ONCE = 32;
/** A turn goes on with another message until it has lasted this long. */
const TURN_MS = 1_000;

/** The time for which one claim of an endpoint is used. */
export class Turn {
  readonly claim: EndpointClaim;
  /** Aborts where the claim is lost, as by the deletion of the endpoint, and where everything stops. */
  readonly signal: AbortSignal;
  /** Attempts that failed since the last that did not. */
  failures: number;
  readonly #beganAtMs = performance.now();
  readonly #lost = new AbortController();

  constructor(claim: EndpointClaim, stopping: AbortSignal) {
    this.claim = claim;
    this.signal = AbortSignal.any([stopping, this.#lost.signal]);
    this.failures = claim.endpoint.failures;
  }

  get projectId(): string {
    return this.claim.endpoint.projectId ?? '';
  }

  get ageMs(): number {
    return performance.now() - this.#beganAtMs;
  }

  get mayGoOn(): boolean {
    return this.ageMs < TURN_MS && !this.signal.aborted;
  }

  endBecauseLost(): void {
    this.#lost.abort();
  }
}

/** Slow receivers of some projects must not hold up those of others: what counts is the time that they take. */
export class Sending {
  readonly #underWay = new Map<Turn, Promise<void>>();
  #freed = Promise.withResolvers<void>();

  get areAll(): boolean {
    return this.#underWay.size >= AT_ONCE;
  }

  get count(): number {
    return this.#underWay.size;
  }

  get oldestAgeMs(): number {
    return Math.max(0, ...[...this.#underWay.keys()].map(({ ageMs }) => ageMs));
  }

  /**
   * The projects that no other turn is for now: those that have as many as are left. So one has half of them at most, two
   * have three quarters, and there is one for a project that has none. Turns of endpoints that were deleted count too.
   */
  get fullProjects(): readonly string[] {
    const own = Map.groupBy(this.#underWay.keys(), ({ projectId }) => projectId);
    return [...own].filter(([, some]) => some.length >= AT_ONCE - this.count).map(([projectId]) => projectId);
  }

  /** Resolves when an endpoint may be due that was not, or had no turn, when this was asked. */
  get freed(): Promise<void> {
    return this.#freed.promise;
  }

  /** @param take Resolves at the end of the turn with whether its endpoint is due again; never rejects. */
  begin(turn: Turn, take: (turn: Turn) => Promise<boolean>): void {
    this.#underWay.set(
      turn,
      take(turn).then((isDue) => {
        const hadWaiting = this.areAll || this.fullProjects.length > 0;
        this.#underWay.delete(turn);
        if (!isDue && !hadWaiting) return;
        this.#freed.resolve();
        this.#freed = Promise.withResolvers();
      }),
    );
  }

  /** Resolves once those under way have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }
}
