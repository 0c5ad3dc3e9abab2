import { type ErrorCode, TidemarkError } from '../runtime/errors.ts';
import { callMethod, standInFor } from '../runtime/stand-in.ts';
import type { StoreName } from './operations.ts';
import { closeStores, type OpenedStores, type StoreOpener } from './open-stores.ts';

const UNOPENED: Readonly<Record<StoreName, readonly [code: ErrorCode, message: string]>> = {
  log: ['LOG_UNAVAILABLE', 'the event log is not open yet'],
  codec: ['LOG_UNAVAILABLE', 'the schemas are not loaded yet'],
  database: ['STORE_UNAVAILABLE', 'the database of profiles is not open yet'],
  analytics: ['STORE_UNAVAILABLE', 'analytics is not open yet'],
};

/** The log and the stores, with stand-ins that can be used before they are open. */
export class LazyStores {
  readonly #opener: Pick<StoreOpener, StoreName>;
  readonly #opensOnCall: boolean;
  readonly #opening = new Map<StoreName, Promise<unknown>>();
  readonly #opened: { -readonly [Name in StoreName]?: OpenedStores[Name] } = {};

  /** @param opensOnCall Whether a call opens the store that it needs; else it is refused until `open` has opened that. */
  constructor(opener: Pick<StoreOpener, StoreName>, { opensOnCall }: { readonly opensOnCall: boolean }) {
    this.#opener = opener;
    this.#opensOnCall = opensOnCall;
  }

  /** Once, however often it is called; again where it has failed. */
  open<Name extends StoreName>(name: Name): Promise<OpenedStores[Name]> {
    let opening = this.#opening.get(name) as Promise<OpenedStores[Name]> | undefined;
    if (opening === undefined) {
      opening = this.#begin(name) as Promise<OpenedStores[Name]>;
      this.#opening.set(name, opening);
      opening.then(
        (store) => (this.#opened[name] = store),
        () => this.#opening.delete(name),
      );
    }
    return opening;
  }

  opened<Name extends StoreName>(name: Name): OpenedStores[Name] | undefined {
    return this.#opened[name];
  }

  /** @throws TidemarkError `LOG_UNAVAILABLE` or `STORE_UNAVAILABLE` until it is open. */
  openedOrThrow<Name extends StoreName>(name: Name): OpenedStores[Name] {
    const opened = this.#opened[name];
    if (opened !== undefined) return opened;
    const [code, message] = UNOPENED[name];
    throw new TidemarkError(code, message);
  }

  /** Those of these names, opened. @throws TidemarkError as the opener or `openedOrThrow`. */
  async all(names: readonly StoreName[]): Promise<Partial<OpenedStores>> {
    const all = await Promise.all(names.map(async (name) => [name, await this.#get(name)] as const));
    return Object.fromEntries(all) as Partial<OpenedStores>;
  }

  /** Its methods are those of the store. See `standInFor`; a store that is open may be called for anything. */
  standIn<Name extends StoreName>(name: Name): OpenedStores[Name] {
    return standInFor<OpenedStores[Name]>((method, args) => {
      const opened = this.#opened[name];
      if (opened !== undefined) return callMethod(opened, method, args);
      return this.#get(name).then((store) => callMethod(store, method, args));
    });
  }

  /** Waits for what is being opened. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    await closeStores(this.#opened);
  }

  async #get<Name extends StoreName>(name: Name): Promise<OpenedStores[Name]> {
    return this.#opensOnCall ? this.open(name) : this.openedOrThrow(name);
  }

  #begin(name: StoreName): Promise<unknown> {
    return name === 'analytics' ? this.#opener.analytics(this.open('database')) : this.#opener[name]();
  }
}
