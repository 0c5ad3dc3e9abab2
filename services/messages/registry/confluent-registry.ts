import { COMPATIBILITY, SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { AvroSchema } from '../schema-ids.ts';
import { ConfluentHttp, type Method, type RegistryAddress, RegistryError } from './confluent-http.ts';

type Middleware = NonNullable<ConstructorParameters<typeof SchemaRegistry>[0]['middlewares']>[number];
type Response = Awaited<ReturnType<NonNullable<ReturnType<Middleware>['response']>>>;

/** What is asked for where a subject's level would let a schema in that cannot read older messages. */
const STRICTER: Readonly<Record<string, COMPATIBILITY>> = {
  NONE: COMPATIBILITY.BACKWARD,
  FORWARD: COMPATIBILITY.FULL,
  FORWARD_TRANSITIVE: COMPATIBILITY.FULL_TRANSITIVE,
};

const SCHEMA_NOT_FOUND = 40_403;

/** Ids are Java's int: Confluent's registry answers a larger one as it answers an unknown path. */
const LARGEST_ID = 2 ** 31 - 1;

/** A registry's answers to the three questions that we have. All reject with RegistryError. */
export class ConfluentRegistry {
  readonly #base: string;
  readonly #http: ConfluentHttp;
  readonly #client: SchemaRegistry;

  constructor(address: RegistryAddress) {
    this.#base = address.base;
    this.#http = new ConfluentHttp(address);
    this.#client = new SchemaRegistry({ host: address.base, middlewares: [transport(this.#http)] });
  }

  /** The id of a schema under a subject, registered where it is not there yet, once BACKWARD or stricter is asked for. */
  async register(subject: string, schema: AvroSchema): Promise<number> {
    const known = await this.#find(subject, schema);
    const level = await this.#levelOf(subject);
    const wanted = level === undefined ? COMPATIBILITY.BACKWARD : (STRICTER[level] ?? level);
    if (known !== undefined) {
      // Where schemas are put in by others and we may only read, what we need is there all the same.
      if (wanted !== level) await this.#ask(subject, wanted).catch(unlessForbidden);
      return known;
    }
    // Before there is a first schema: asked for after it, as the client would, others find it without for a moment.
    if (wanted !== level) await this.#ask(subject, wanted);
    return this.#add(subject, schema, wanted);
  }

  /** The Avro schema of an id, its references resolved; undefined if there is none, or it cannot be read. */
  async schemaOf(id: number): Promise<AvroSchema | undefined> {
    if (id > LARGEST_ID) return undefined;
    try {
      const type = (await this.#client.getSchema(id)) as Partial<AvroType>;
      return type.schema?.({ exportAttrs: true });
    } catch (error) {
      // What is no Avro, or none that avsc builds, will not be one tomorrow either.
      if (!(error instanceof RegistryError) || error.errorCode === SCHEMA_NOT_FOUND) return undefined;
      throw error;
    }
  }

  async #find(subject: string, schema: AvroSchema): Promise<number | undefined> {
    try {
      const body = JSON.stringify({ schema: JSON.stringify(schema) });
      return idIn(await this.#send('POST', `/subjects/${encodeURIComponent(subject)}`, body));
    } catch (error) {
      if (error instanceof RegistryError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #add(subject: string, schema: AvroSchema, compatibility: COMPATIBILITY): Promise<number> {
    try {
      return idIn(await this.#client.register(schema as RawSchema, { subject, compatibility }));
    } catch (error) {
      if (isLevelMismatch(error)) throw new RegistryError(0, error.message, { cause: error });
      // Another process may have registered it in this instant, and the registry have taken ours for a second one.
      if (!(error instanceof RegistryError) || error.status !== 409) throw error;
      const known = await this.#find(subject, schema);
      if (known === undefined) throw error;
      return known;
    }
  }

  /** Undefined where the subject has no level of its own. */
  async #levelOf(subject: string): Promise<COMPATIBILITY | undefined> {
    try {
      const answer = (await this.#send('GET', `/config/${encodeURIComponent(subject)}`)) as {
        compatibilityLevel?: unknown;
      } | null;
      return COMPATIBILITY[String(answer?.compatibilityLevel).toUpperCase() as keyof typeof COMPATIBILITY];
    } catch (error) {
      if (error instanceof RegistryError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #ask(subject: string, compatibility: COMPATIBILITY): Promise<void> {
    try {
      await this.#send('PUT', `/config/${encodeURIComponent(subject)}`, JSON.stringify({ compatibility }));
    } catch (error) {
      // Another process may have asked in this instant, and the registry have taken ours for a conflict.
      if ((await this.#levelOf(subject)) !== compatibility) throw error;
    }
  }

  #send(method: Method, path: string, body?: string): Promise<unknown> {
    return this.#http.send(method, `${this.#base}${path}`, body);
  }
}

type RawSchema = Parameters<SchemaRegistry['register']>[0];

interface AvroType {
  schema(options: { exportAttrs: boolean }): AvroSchema;
}

/**
 * The client's requests by our own HTTP. By itself it waits without end if an answer is cut off, ends the process
 * where an error's body is `null`, and tells a refused connection as status 400 without its cause (mappersmith 2.47).
 */
function transport(http: ConfluentHttp): Middleware {
  return () => ({
    response: async (_next, _renew, request) => {
      const body = request.body() as string | undefined;
      const answer = await http.send(request.method().toUpperCase() as Method, request.url(), body);
      if (/\/schemas\/ids\/\d+$/.test(request.url()) && !isSchema(answer)) {
        throw new RegistryError(200, 'its answer holds no schema');
      }
      return { data: () => answer } as Response;
    },
  });
}

/** Somebody has changed the level between our asking for it and the client's look at it: what passes when done again. */
function isLevelMismatch(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfluentSchemaRegistryCompatibilityError';
}

function unlessForbidden(error: unknown): void {
  if (!(error instanceof RegistryError) || error.status !== 403) throw error;
}

function isSchema(answer: unknown): boolean {
  return typeof (answer as { schema?: unknown } | null)?.schema === 'string';
}

function idIn(answer: unknown): number {
  const id = (answer as { id?: unknown } | null)?.id;
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= LARGEST_ID) return id;
  throw new RegistryError(200, 'its answer holds no id of a schema');
}
