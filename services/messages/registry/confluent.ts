import { isRetryable, TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { isPermanent } from '../../runtime/transport-faults.ts';
import { SCHEMA_TOPICS } from '../message.ts';
import { type AvroSchema, currentSchemaOf, type SchemaIds, type Topic } from '../schema-ids.ts';
import { type RegistryAddress, RegistryError } from './confluent-http.ts';
import { ConfluentRegistry } from './confluent-registry.ts';
import { SchemaMemory } from './schema-memory.ts';

export interface SchemaIdsOptions {
  /** Stands before the name of every topic on the log, and so before the subjects' too. */
  readonly topicPrefix?: string | undefined;
  /** Keeps the answers of the registry, so that a process can start while it is unreachable. Several processes may share it. */
  readonly cacheFile?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  /** How long an id that the registry does not know is not asked for again. */
  readonly absentForMs?: number | undefined;
}

const LOOKUPS_AT_ONCE = 8;
const ABSENT_FOR_MS = 30_000;

/** The ids of a Confluent-compatible schema registry. Its answers are kept: it may be unreachable from then on. */
export class ConfluentSchemaIds implements SchemaIds {
  readonly #base: string;
  readonly #registry: ConfluentRegistry;
  readonly #memory: SchemaMemory;
  readonly #ids: ReadonlyMap<Topic, number>;
  readonly #absent: AbsentIds;
  readonly #logger: SchemaIdsOptions['logger'];

  private constructor(parts: Parts, ids: ReadonlyMap<Topic, number>, options: SchemaIdsOptions) {
    this.#base = parts.base;
    this.#registry = parts.registry;
    this.#memory = parts.memory;
    this.#ids = ids;
    this.#absent = new AbsentIds(options.absentForMs ?? ABSENT_FOR_MS);
    this.#logger = options.logger;
  }

  static async open(address: RegistryAddress, options: SchemaIdsOptions): Promise<ConfluentSchemaIds> {
    const { base } = address;
    const memory = await SchemaMemory.read(base, options.cacheFile);
    const parts = { base, memory, registry: new ConfluentRegistry(address) };
    const opened = new ConfluentSchemaIds(parts, await idsOf(parts, options), options);
    await opened.#save();
    return opened;
  }

  idOf(topic: Topic): number {
    const id = this.#ids.get(topic);
    if (id === undefined) throw new Error(`no schema was registered for ${topic}`);
    return id;
  }

  schemaOf(id: number): AvroSchema | undefined {
    return this.#memory.schemaOf(id);
  }

  async fetch(ids: readonly number[]): Promise<void> {
    const missing = new Set(ids.filter((id) => this.schemaOf(id) === undefined && !this.#absent.has(id)));
    const queue = missing.values();
    const lookUpInTurn = async (): Promise<void> => {
      for (const id of queue) await this.#lookUp(id);
    };
    try {
      await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, lookUpInTurn));
    } finally {
      await this.#save();
    }
  }

  async #lookUp(id: number): Promise<void> {
    try {
      const schema = await this.#registry.schemaOf(id);
      if (schema === undefined) this.#absent.add(id);
      else this.#memory.learn(id, schema);
    } catch (error) {
      throw error instanceof RegistryError ? unreachableError(error, this.#base) : error;
    }
  }

  async #save(): Promise<void> {
    try {
      await this.#memory.save();
    } catch (error) {
      this.#logger?.warn({ err: error }, 'the schema ids cannot be kept for a start without the registry');
    }
  }
}

interface Parts {
  readonly base: string;
  readonly registry: ConfluentRegistry;
  readonly memory: SchemaMemory;
}

async function idsOf(parts: Parts, options: SchemaIdsOptions): Promise<ReadonlyMap<Topic, number>> {
  const subjectOf = (topic: Topic): string => `${options.topicPrefix ?? ''}${topic}-value`;
  try {
    return await registeredIds(parts, subjectOf);
  } catch (error) {
    const remembered = isRetryable(error) ? rememberedIds(parts.memory, subjectOf) : undefined;
    if (remembered === undefined) throw error;
    options.logger?.warn({ err: error }, 'going on with the schema ids that the registry gave before');
    return remembered;
  }
}

async function registeredIds(
  { base, registry, memory }: Parts,
  subjectOf: (topic: Topic) => string,
): Promise<ReadonlyMap<Topic, number>> {
  const registered = await Promise.all(
    SCHEMA_TOPICS.map(async (topic) => {
      const subject = subjectOf(topic);
      const schema = currentSchemaOf(topic);
      try {
        return { topic, subject, schema, id: await registry.register(subject, schema) };
      } catch (error) {
        throw registrationError(error, subject, base);
      }
    }),
  );
  memory.confirm(registered);
  return new Map(registered.map(({ topic, id }) => [topic, id]));
}

/** Undefined where one of them is not known: what was never registered must not be written. */
function rememberedIds(
  memory: SchemaMemory,
  subjectOf: (topic: Topic) => string,
): ReadonlyMap<Topic, number> | undefined {
  const ids = new Map<Topic, number>();
  for (const topic of SCHEMA_TOPICS) {
    const id = memory.idOf(subjectOf(topic), currentSchemaOf(topic));
    if (id === undefined) return undefined;
    ids.set(topic, id);
  }
  return ids;
}

/** Past this the oldest are forgotten first: they only save asking again. */
const MAX_IDS = 10_000;

/** Ids that a registry does not know. They are asked for again only after a while: it may know them by then. */
class AbsentIds {
  readonly #forMs: number;
  readonly #until = new Map<number, number>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  has(id: number): boolean {
    const until = this.#until.get(id);
    return until !== undefined && until > performance.now();
  }

  add(id: number): void {
    this.#until.delete(id);
    const [oldest] = this.#until.keys();
    if (this.#until.size >= MAX_IDS && oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(id, performance.now() + this.#forMs);
  }
}

/** The error of registering a schema as ours. */
export function registrationError(error: unknown, subject: string, base: string): unknown {
  if (!(error instanceof RegistryError)) return error;
  const { status, message } = error;
  const options = { cause: error };
  if (status === 401 || status === 403 || isPermanent(error)) {
    return new TidemarkError('SERVER_DENIED', `the schema registry at ${base} cannot be entered: ${message}`, options);
  }
  if (status === 409 || status === 422) {
    const what = `the schema registry at ${base} refuses the schema of ${subject}`;
    return new TidemarkError('SCHEMA_INCOMPATIBLE', `${what}: ${message}`, options);
  }
  if (isPassing(status)) return unreachableError(error, base);
  return new TidemarkError('CONFIG_INVALID', `there is no schema registry at ${base}: ${message}`, options);
}

/** The error of looking up an id. Any such error is retried: the message must not be rejected for it. */
export function unreachableError(error: RegistryError, base: string): TidemarkError {
  const { message } = error;
  return new TidemarkError('STORE_UNAVAILABLE', `the schema registry at ${base} is unreachable: ${message}`, {
    cause: error,
  });
}

function isPassing(status: number): boolean {
  return status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
}
