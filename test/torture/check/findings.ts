/** What is wrong, by kind: how often, and the first few of each in words. */
export const KINDS = [
  'lost from the log',
  'changed on the log',
  'on the log though never sent or refused',
  'doubled on the log',
  'out of order on the log',
  'wrong version',
  'dated years off',
  'no message',
  'dead letters',
  'reader behind the log',
  'lost from events',
  'missing in ClickHouse',
  'doubled in ClickHouse',
  'different in ClickHouse',
  'missing in Postgres',
  'different in Postgres',
  'profile other than answered',
  'missing in a live audience',
  'too many in a live audience',
  'entered or left a live audience twice',
  'not live',
  'replayed differently',
  'unreadable',
  'not replayed',
  'not backed up',
  'not restored',
  'other than backed up',
  'not forgotten',
  'forgotten and there again',
  'wrong answer',
  'not stopped by itself',
  'not ready again',
] as const;
export type Kind = (typeof KINDS)[number];

const SHOWN = 10;

export class Findings {
  readonly #found = new Map<Kind, { count: number; readonly first: string[] }>();

  add(kind: Kind, what: string): void {
    const found = this.#found.get(kind) ?? { count: 0, first: [] };
    this.#found.set(kind, found);
    found.count++;
    if (found.first.length < SHOWN) found.first.push(what);
  }

  /** The same, of a part: its name stands before what is found. */
  of(part: string): Pick<Findings, 'add'> {
    return { add: (kind, what) => this.add(kind, `${part}: ${what}`) };
  }

  /** How many of these kinds; of all where none is named. */
  count(...kinds: readonly Kind[]): number {
    const wanted = kinds.length === 0 ? KINDS : kinds;
    return wanted.reduce((sum, kind) => sum + (this.#found.get(kind)?.count ?? 0), 0);
  }

  /** The kinds that were found at all. */
  get kinds(): readonly Kind[] {
    return KINDS.filter((kind) => this.#found.has(kind));
  }

  toJSON(): object {
    return Object.fromEntries(this.#found);
  }
}
