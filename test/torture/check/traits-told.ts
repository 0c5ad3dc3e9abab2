/** Traits as the answers alone tell them: those that are only ever sent with a time of their own, long ago. */

interface Sent {
  readonly n: number;
  readonly micros: bigint;
  /** Canonical; null where it deletes. */
  readonly value: string | null;
  isAnswered: boolean;
}

/** By trait. */
export const TOLD_TRAITS = ['told one', 'told two', 'told three'] as const;

export class TraitsTold {
  /** All but what was refused, by user and trait. */
  readonly #sent = new Map<string, Sent[]>();

  /** @param value Canonical; null where it deletes. */
  sent(user: string, trait: string, said: Omit<Sent, 'isAnswered'>): void {
    const name = JSON.stringify([user, trait]);
    const sent = this.#sent.get(name) ?? [];
    this.#sent.set(name, sent);
    sent.push({ ...said, isAnswered: false });
  }

  answered(user: string, trait: string, n: number): void {
    const said = this.#sent.get(JSON.stringify([user, trait]))?.find((one) => one.n === n);
    if (said !== undefined) said.isAnswered = true;
  }

  /** It is not on the log. */
  refused(user: string, trait: string, n: number): void {
    const name = JSON.stringify([user, trait]);
    const sent = this.#sent.get(name);
    if (sent !== undefined)
      this.#sent.set(
        name,
        sent.filter((one) => one.n !== n),
      );
  }

  /** What the log alone would tell of these messages: they are on it, and no others. */
  onlyOf(isThere: (n: number) => boolean): TraitsTold {
    const left = new TraitsTold();
    for (const [name, sent] of this.#sent) {
      const there = sent.filter(({ n }) => isThere(n)).map((one) => ({ ...one, isAnswered: true }));
      left.#sent.set(name, there);
    }
    return left;
  }

  /** Every user and trait with the values that it may have; null: none. */
  *all(): Generator<{ readonly user: string; readonly trait: string; readonly values: readonly (string | null)[] }> {
    for (const [name, sent] of this.#sent) {
      const [user, trait] = JSON.parse(name) as [string, string];
      const newest = sent.reduce<Sent | undefined>((known, one) => {
        return one.isAnswered && (known === undefined || one.micros > known.micros) ? one : known;
      }, undefined);
      const maybe = sent.filter((one) => !one.isAnswered && (newest === undefined || one.micros > newest.micros));
      yield { user, trait, values: [newest?.value ?? null, ...maybe.map(({ value }) => value)] };
    }
  }
}
