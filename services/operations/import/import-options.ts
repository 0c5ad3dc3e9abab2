/** How an import is told what to do, and what it tells: the members of the OpenAPI document, which all of it reads. */
import type { Answer, Body } from '../../../schemas/operations.ts';

type Given = Body<'POST /v1/admin/imports'>;

export type ImportPreview = Answer<'POST /v1/admin/imports/preview'>;

export type ImportRemark = ImportPreview['warnings'][number];

export type ImportProblem = ImportPreview['rows'][number]['problems'][number];

/** Stands for a member that is left out, or null. */
export const IMPORT_DEFAULTS = {
  file: null,
  path: null,
  files: null,
  paths: null,
  type: null,
  format: null,
  delimiter: ',',
  types: false,
  text_columns: [],
  json_columns: [],
  map: {},
  preset: null,
  set: {},
  timezone: null,
  time_format: null,
  encoding: null,
  columns: null,
  rate: null,
  import_id: null,
  dry_run: false,
  report: null,
  state: null,
  restart: false,
  untimed: false,
} as const;

type Defaults = typeof IMPORT_DEFAULTS;

/** Every member is there; null only where that is its default. */
export type ImportOptions = {
  readonly [Name in keyof Defaults]: NonNullable<Given[Name]> | (null extends Defaults[Name] ? null : never);
};
