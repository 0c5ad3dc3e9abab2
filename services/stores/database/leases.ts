import { BASE36, randomText } from '../projects/keys.ts';
import type { Queryable, SqlValue } from './database.ts';
import { NOW_MS } from './sql-time.ts';

/** The exclusive right to do something with a row, for a limited time. */
export interface Lease {
  /** The row's. */
  readonly id: string;
  readonly token: string;
}

/** Whether anybody may take the lease of a row. */
export const IS_FREE = `(claim is null or claimed_until_ms <= ${NOW_MS})`;
/** Sets the columns of a new lease: `$1` is the token, `$2` how many milliseconds it is valid. */
export const NEW_LEASE = `claim = $1, claimed_until_ms = ${NOW_MS} + $2::int8`;
/** Whether the row is that of the lease, and the lease is valid: `$1` and `$2` are its values. */
export const IS_LEASED = `id = $1 and claim = $2 and claimed_until_ms > ${NOW_MS}`;

/**
 * Leases of the rows of one table, by the database's clock. A lease lies in the row that it guards (`claim`,
 * `claimed_until_ms`), so that one statement checks it and writes the row: whoever has lost it changes nothing.
 */
export class Leases {
  readonly #database: Queryable;
  readonly #table: string;

  constructor(database: Queryable, table: 'audiences' | 'endpoints' | 'watches') {
    this.#database = database;
    this.#table = table;
  }

  /** For `NEW_LEASE`. */
  static newToken(): string {
    return randomText(20, BASE36);
  }

  /** Returns false if the lease has run out, or the row is gone. */
  renew(lease: Lease, forMs: number): Promise<boolean> {
    return this.changeLeased(lease, `claimed_until_ms = ${NOW_MS} + $3::int8`, [BigInt(forMs)]);
  }

  /** Notes when the lease ended: whoever goes by turns takes the row next that was leased longest ago. */
  async release(lease: Lease): Promise<void> {
    await this.changeLeased(lease, `claim = null, claimed_until_ms = ${NOW_MS}`);
  }

  /**
   * Changes the row. Returns false, and changes nothing, if the lease has run out. The values are those from `$3` on.
   *
   * @param options `and`: another condition; `alsoWrites`: more common table expressions, which find the row's id in `written`.
   */
  async changeLeased(
    { id, token }: Lease,
    set: string,
    values: readonly SqlValue[] = [],
    { and = 'true', alsoWrites }: { readonly and?: string; readonly alsoWrites?: string } = {},
  ): Promise<boolean> {
    const also = alsoWrites === undefined ? '' : `, ${alsoWrites}`;
    const sql = `with written as (update ${this.#table} set ${set} where ${IS_LEASED} and ${and} returning id)${also}
                 select id from written`;
    return (await this.#database.query(sql, [id, token, ...values])).length > 0;
  }
}

/** A work that takes longer than this part of its lease has that renewed. */
const RENEWALS_OF_A_LEASE = 10;

/** Renews a lease until the returned function is called. @param onLost Called where it turns out to be another's. */
export function keepRenewing(renew: () => Promise<boolean>, leaseMs: number, onLost?: () => void): () => void {
  // If this fails, the next one may not, or the lease runs out.
  const renewOnce = (): Promise<void> =>
    renew().then(
      (isOurs) => (isOurs ? undefined : onLost?.()),
      () => undefined,
    );
  const timer = setInterval(() => void renewOnce(), leaseMs / RENEWALS_OF_A_LEASE);
  return () => clearInterval(timer);
}
