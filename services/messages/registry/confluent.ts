import { type AvroSchema, currentSchemaOf, type SchemaIds, type Topic } from '../schema-ids.ts';
import { TOPICS } from '../message.ts';
import { isRetryable } from '../../runtime/errors.ts';
import { AbsentIds } from './absent-ids.ts';
import type { RegistryAddress } from './address.ts';
import { awayError, registrationError } from './confluent-errors.ts';
import { RegistryError } from './confluent-http.ts';
import { ConfluentRegistry } from './confluent-registry.ts';
import type { SchemaIdsOptions } from './open.ts';
import { SchemaMemory } from './schema-memory.ts';

const LOOKUPS_AT_ONCE = 8;
const ABSENT_FOR_MS = 30_000;

/** The ids of a Confluent-compatible schema registry. What it once said is kept: it may be away from then on. */
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
      throw error instanceof RegistryError ? awayError(error, this.#base) : error;
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
    TOPICS.map(async (topic) => {
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
  for (const topic of TOPICS) {
    const id = memory.idOf(subjectOf(topic), currentSchemaOf(topic));
    if (id === undefined) return undefined;
    ids.set(topic, id);
  }
  return ids;
}
