import { randomUUID } from 'node:crypto';
import { type AvroSchema, currentSchemaOf } from '../../../services/messages/schema-ids.ts';

/** Topics of a test's own, on a registry that it shares with others. */
export function newPrefix(): string {
  return `${randomUUID()}.`;
}

/** What stands under a subject, straight from the registry. */
export async function compatibilityOf(registry: string, subject: string): Promise<string | undefined> {
  const answer = (await ask(registry, 'GET', `/config/${subject}`)) as { compatibilityLevel?: string };
  return answer.compatibilityLevel;
}

export async function setCompatibility(registry: string, subject: string, compatibility: string): Promise<void> {
  await ask(registry, 'PUT', `/config/${subject}`, { compatibility });
}

/** Registers as a foreign program would. */
export async function registerSchema(
  registry: string,
  subject: string,
  schema: AvroSchema,
  references?: readonly { readonly name: string; readonly subject: string; readonly version: number }[],
): Promise<number> {
  const body = { schema: JSON.stringify(schema), references };
  const { id } = (await ask(registry, 'POST', `/subjects/${subject}/versions`, body)) as { id: number };
  return id;
}

interface RecordSchema {
  readonly fields: readonly { readonly name: string }[];
}

/** The current schema of identify with its fields changed. */
export function identifySchema(change: (fields: RecordSchema['fields']) => readonly object[]): AvroSchema {
  const schema = currentSchemaOf('tidemark.identify') as RecordSchema;
  return { ...schema, fields: change(schema.fields) };
}

/** The same record under another id, with the bytes of one more field behind it. */
export function rewritten(value: Uint8Array, id: number, ...field: readonly number[]): Uint8Array {
  const copy = Buffer.concat([value, Uint8Array.from(field)]);
  copy.writeUInt32BE(id, 1);
  return copy;
}

async function ask(registry: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${registry}${path}`, {
    method,
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}
