import { type ErrorCode, TidemarkError } from '../runtime/errors.ts';
import { callMethod, standInFor } from '../runtime/stand-in.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { type OpenedStores, type StoreName, StoreOpener } from './open-stores.ts';
import type { ProcessParts } from './process-parts.ts';

const UNOPENED: Readonly<Record<StoreName, readonly [code: ErrorCode, message: string]>> = {
  log: ['LOG_UNAVAILABLE', 'the event log is not open yet'],
  codec: ['LOG_UNAVAILABLE', 'the schemas are not loaded yet'],
  database: ['STORE_UNAVAILABLE', 'the database of profiles is not open yet'],
  analytics: ['STORE_UNAVAILABLE', 'analytics is not open yet'],
};

/** Every store, for `all` and `openStores`. */
export const ALL_STORES = ['log', 'codec', 'database', 'analytics'] as const;
/** Those that a process has which needs no analytics. */
export const WITHOUT_ANALYTICS = ['log', 'codec', 'database'] as const;
/** Those that a process has which knows nothing of Kafka. */
export const WITHOUT_LOG = ['database', 'analytics'] as const;

/** The log and the stores, with stand-ins that can be used before they are open. */
export class LazyStores {
  readonly #opener: Pick<StoreOpener, StoreName>;
  readonly #opensOnCall: boolean;
  readonly #opening = new Map<StoreName, Promise<unknown>>();
  readonly #opened: { -readonly [Name in StoreName]?: OpenedStores[Name] } = {};
  /** The methods of each are those of the store. See `standInFor`; a store that is open may be called for anything. */
  readonly standIns: OpenedStores = {
    log: this.#standIn('log'),
    codec: this.#standIn('codec'),
    database: this.#standIn('database'),
    analytics: this.#standIn('analytics'),
  };

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
  async all<Name extends StoreName>(names: readonly Name[]): Promise<Pick<OpenedStores, Name>> {
    const all = await Promise.all(names.map(async (name) => [name, await this.#get(name)] as const));
    return Object.fromEntries(all) as unknown as Pick<OpenedStores, Name>;
  }

  /** Waits for what is being opened. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    const { log, database, analytics } = this.#opened;
    await Promise.all([log?.close(), database?.close(), analytics?.close()]);
  }

  async #get<Name extends StoreName>(name: Name): Promise<OpenedStores[Name]> {
    return this.#opensOnCall ? this.open(name) : this.openedOrThrow(name);
  }

  #standIn<Name extends StoreName>(name: Name): OpenedStores[Name] {
    return standInFor<OpenedStores[Name]>((method, args) => {
      const opened = this.#opened[name];
      if (opened !== undefined) return callMethod(opened, method, args);
      return this.#get(name).then((store) => callMethod(store, method, args));
    });
  }

  #begin(name: StoreName): Promise<unknown> {
    return name === 'analytics' ? this.#opener.analytics(this.open('database')) : this.#opener[name]();
  }
}

/** Opens these stores concurrently. They are closed once the parts that are started later have been stopped. */
export async function openStores<Name extends StoreName>(
  parts: ProcessParts,
  config: Config,
  logger: Logger,
  names: readonly Name[],
): Promise<Pick<OpenedStores, Name>> {
  const stores = new LazyStores(new StoreOpener(config, logger, parts.stopping), { opensOnCall: true });
  await parts.start({ stop: () => stores.close() });
  return stores.all(names);
}
