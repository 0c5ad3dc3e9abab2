/** The id of each schema in the records of the log. */

import { readFileSync } from 'node:fs';
import {
  AUDIENCE_CHANGE_TOPIC,
  DEAD_LETTER_TOPIC,
  PROJECT_TOPIC,
  type SCHEMA_TOPICS,
  SNAPSHOT_TOPIC,
  typeOf,
} from './message.ts';
import { TidemarkError } from '../runtime/errors.ts';

export type Topic = (typeof SCHEMA_TOPICS)[number];

/** An Avro schema as parsed JSON. */
export type AvroSchema = object;

/** The embedded ids, or a Schema Registry's. */
export interface SchemaIds {
  /** The id of this topic's current schema, under which its messages are written. */
  idOf(topic: Topic): number;
  /** The schema of this id, if it is in memory. It never changes. */
  schemaOf(id: number): AvroSchema | undefined;
  /**
   * Loads the schemas of these ids, those that exist. Called before a batch is decoded, so that decoding is synchronous
   * and an unreachable registry is never taken for an undecodable message.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable, if the registry cannot be reached; `LOG_NEWER`, retryable.
   */
  fetch(ids: readonly number[]): Promise<void>;
}

const FOLDER = new URL('../../schemas/messages/', import.meta.url);

/** Id → file in schemas/messages. An id keeps its file, and the file its content, permanently: old messages name it. */
const FILES = parseFile('ids.json') as Readonly<Record<string, string>>;

const SCHEMAS: ReadonlyMap<number, AvroSchema> = new Map(
  Object.entries(FILES).map(([id, file]) => [Number(id), parseFile(file)]),
);

const NEWEST_ID = Math.max(...SCHEMAS.keys());
/** Ids are given one after another. What is further off was written by another program. */
const IDS_OF_NEWER_VERSIONS = 1_000;

/** The topic's current schema: what is written, and what every older one is read as. */
export function currentSchemaOf(topic: Topic): AvroSchema {
  const schema = SCHEMAS.get(currentIdOf(topic));
  if (schema === undefined) throw new Error(`schemas/messages/ids.json has no id for ${topic}`);
  return schema;
}

/** The ids of `schemas/messages/ids.json`, for logs without a registry. */
export class EmbeddedSchemaIds implements SchemaIds {
  idOf(topic: Topic): number {
    return currentIdOf(topic);
  }

  schemaOf(id: number): AvroSchema | undefined {
    return SCHEMAS.get(id);
  }

  /** All schemas are in memory. @throws TidemarkError `LOG_NEWER`, retryable, for an id that a newer version gave. */
  async fetch(ids: readonly number[]): Promise<void> {
    const newer = ids.find((id) => id > NEWEST_ID && id <= NEWEST_ID + IDS_OF_NEWER_VERSIONS);
    if (newer === undefined) return;
    throw new TidemarkError(
      'LOG_NEWER',
      `the log holds records of schema ${newer}, which a newer version of Tidemark wrote: start that version`,
    );
  }
}

function currentIdOf(topic: Topic): number {
  const file = `${schemaNameOf(topic)}.avsc`;
  return Number(Object.keys(FILES).findLast((id) => FILES[id] === file));
}

function schemaNameOf(topic: Topic): string {
  if (topic === DEAD_LETTER_TOPIC) return 'dead-letter';
  if (topic === AUDIENCE_CHANGE_TOPIC) return 'audience-change';
  if (topic === SNAPSHOT_TOPIC) return 'snapshot';
  return topic === PROJECT_TOPIC ? 'project' : typeOf(topic);
}

function parseFile(name: string): object {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as object;
}
