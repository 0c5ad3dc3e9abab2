import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { standInFor } from '../runtime/stand-in.ts';
import { closeStores, type OpenedStores, openNeeded } from './open-stores.ts';
import type { StoreName } from './operations.ts';

/** Stores that are opened when they are first needed. */
export class OpenOnDemand {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #opening = new Map<StoreName, Promise<Partial<OpenedStores>>>();

  constructor(config: Config, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  async open(needs: readonly StoreName[]): Promise<Partial<OpenedStores>> {
    // Analytics is opened with the database at hand.
    const missing = needs.filter((need) => !this.#opening.has(need));
    if (missing.length > 0) {
      const opening = openNeeded(this.#config, this.#logger, missing, this.#opening.get('database'));
      for (const need of missing) this.#opening.set(need, opening);
      if (missing.includes('analytics') && !this.#opening.has('database')) this.#opening.set('database', opening);
      // One that could not be opened is tried again.
      opening.catch(() => {
        for (const [need, promise] of this.#opening) if (promise === opening) this.#opening.delete(need);
      });
    }
    const opened = await Promise.all(needs.flatMap((need) => this.#opening.get(need) ?? []));
    return Object.assign({}, ...opened) as Partial<OpenedStores>;
  }

  /** Its methods are those of the store. */
  standIn<Name extends StoreName>(name: Name): OpenedStores[Name] {
    return standInFor<OpenedStores[Name]>(async (method, args) => {
      const store = (await this.open([name]))[name] as unknown as Record<
        string,
        (...args: readonly unknown[]) => unknown
      >;
      return store[method]?.(...args);
    });
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(new Set(this.#opening.values()));
    const stores = opened.map((one) => (one.status === 'fulfilled' ? one.value : {}));
    await closeStores(Object.assign({}, ...stores) as Partial<OpenedStores>);
  }
}
