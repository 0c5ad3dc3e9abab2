import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { avroType } from '../avro.ts';
import type { AvroSchema } from '../schema-ids.ts';

/** The answers of a registry, in memory and, if a file is given, for the next start. An id's schema never changes. */
export class SchemaMemory {
  readonly #registry: string;
  readonly #file: string | undefined;
  #ids: Map<string, number>;
  #schemas: Map<number, AvroSchema>;
  #unsaved = false;

  private constructor(registry: string, file: string | undefined, saved: Saved) {
    this.#registry = registry;
    this.#file = file;
    this.#ids = new Map(Object.entries(saved.ids));
    this.#schemas = new Map(Object.entries(saved.schemas).map(([id, schema]) => [Number(id), schema]));
  }

  /** What the file holds of this registry: nothing where it is missing, another's or not to be read. */
  static async read(registry: string, file: string | undefined): Promise<SchemaMemory> {
    const saved = file === undefined ? undefined : await readSaved(file);
    const ours = saved?.registry === registry ? saved : { registry, ids: {}, schemas: {} };
    return new SchemaMemory(registry, file, ours);
  }

  /** The id that this very schema has under this subject. */
  idOf(subject: string, schema: AvroSchema): number | undefined {
    const id = this.#ids.get(subject);
    return id !== undefined && isDeepStrictEqual(this.#schemas.get(id), schema) ? id : undefined;
  }

  schemaOf(id: number): AvroSchema | undefined {
    return this.#schemas.get(id);
  }

  /**
   * Takes what the registry says now. Where that is not what it said before it was made anew: what was known of the old
   * one is forgotten, for its ids mean something else now.
   */
  confirm(registered: readonly Registered[]): void {
    if (registered.some((one) => this.#contradicts(one))) {
      this.#ids = new Map();
      this.#schemas = new Map();
    }
    for (const { subject, id, schema } of registered) {
      if (this.idOf(subject, schema) !== id) this.#unsaved = true;
      this.#ids.set(subject, id);
      this.#schemas.set(id, schema);
    }
  }

  learn(id: number, schema: AvroSchema): void {
    this.#schemas.set(id, schema);
    this.#unsaved = true;
  }

  /** Writes the file whole, where there is something new to write. @throws Error where it cannot be written. */
  async save(): Promise<void> {
    if (this.#file === undefined || !this.#unsaved) return;
    this.#unsaved = false;
    await replaceFile(this.#file, {
      registry: this.#registry,
      ids: Object.fromEntries(this.#ids),
      schemas: Object.fromEntries(this.#schemas),
    });
  }

  #contradicts({ subject, id, schema }: Registered): boolean {
    const before = this.idOf(subject, schema);
    const held = this.#schemas.get(id);
    return (held !== undefined && !isSameType(held, schema)) || (before !== undefined && before !== id);
  }
}

export interface Registered {
  readonly subject: string;
  readonly id: number;
  readonly schema: AvroSchema;
}

interface Saved {
  /** Its address, without name and password. */
  readonly registry: string;
  /** By subject: the id of the schema that was written last. */
  readonly ids: Readonly<Record<string, number>>;
  readonly schemas: Readonly<Record<string, AvroSchema>>;
}

/** Not by their text: one that was looked up has lost its comments. */
function isSameType(held: AvroSchema, schema: AvroSchema): boolean {
  try {
    return avroType(held).equals(avroType(schema));
  } catch {
    return false;
  }
}

/** Only a cache: one that cannot be read is as good as none. */
async function readSaved(file: string): Promise<Saved | undefined> {
  try {
    const saved = JSON.parse(await readFile(file, 'utf8')) as Partial<Saved> | null;
    const { registry, ids, schemas } = saved ?? {};
    return registry && ids && schemas ? { registry, ids, schemas } : undefined;
  } catch {
    return undefined;
  }
}

/** By a file of its own and a rename: whoever reads beside us finds the old one or the new one whole. */
async function replaceFile(file: string, content: Saved): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
