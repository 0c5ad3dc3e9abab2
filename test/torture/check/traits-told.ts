/** Traits as the answers alone tell them: those that are only ever sent with a time of their own, long ago. */

interface Told {
  /** The newest that was answered. */
  answered: { readonly micros: bigint; readonly value: string | null } | undefined;
  /** Newer ones that may be on the log, or not. */
  maybe: { readonly micros: bigint; readonly value: string | null; readonly n: number }[];
}

/** By trait. */
export const TOLD_TRAITS = ['told one', 'told two', 'told three'] as const;

export class TraitsTold {
  readonly #told = new Map<string, Told>();

  /** @param value Canonical; null where it deletes. */
  sent(
    user: string,
    trait: string,
    said: { readonly micros: bigint; readonly value: string | null; readonly n: number },
  ): void {
    this.#of(user, trait).maybe.push(said);
  }

  answered(user: string, trait: string, n: number): void {
    const told = this.#of(user, trait);
    const said = told.maybe.find((one) => one.n === n);
    if (said === undefined) return;
    if (told.answered === undefined || said.micros > told.answered.micros) told.answered = said;
    const { micros } = told.answered;
    told.maybe = told.maybe.filter((one) => one !== said && one.micros > micros);
  }

  /** It is not on the log. */
  refused(user: string, trait: string, n: number): void {
    const told = this.#of(user, trait);
    told.maybe = told.maybe.filter((one) => one.n !== n);
  }

  /** Every user and trait with the values that it may have; null: none. */
  *all(): Generator<{ readonly user: string; readonly trait: string; readonly values: readonly (string | null)[] }> {
    for (const [name, { answered, maybe }] of this.#told) {
      const [user, trait] = JSON.parse(name) as [string, string];
      yield { user, trait, values: [answered?.value ?? null, ...maybe.map(({ value }) => value)] };
    }
  }

  #of(user: string, trait: string): Told {
    const name = JSON.stringify([user, trait]);
    let told = this.#told.get(name);
    if (told === undefined) this.#told.set(name, (told = { answered: undefined, maybe: [] }));
    return told;
  }
}
