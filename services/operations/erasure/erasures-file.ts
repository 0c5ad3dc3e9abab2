/** A file with a list of erasures, as `GET /v1/admin/erasures` and `tidemark forget list --json` give it. */
import { readFile } from 'node:fs/promises';
import { isHex } from '../../messages/hex.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import { commandInvalid } from '../../runtime/command.ts';
import type { TidemarkError } from '../../runtime/errors.ts';

/** A row of the table `erasures`; times in microseconds since 1970. */
export interface ErasureRow {
  readonly id: string;
  readonly project_id: string;
  readonly user_key: string;
  readonly cut_us: number | null;
  readonly suppress: boolean;
  readonly came_with: string | null;
  readonly state: string;
  readonly requested_at_us: number;
  readonly due_at_us: number;
  readonly finished_at_us: number | null;
  readonly lifted_at_us: number | null;
  readonly actor: string;
  readonly report: string | null;
  /** Null in a list from before there were any. */
  readonly kept_apart: readonly string[] | null;
}

/** An erasure as the API has it, unchecked. */
type Listed = Readonly<Record<string, unknown>>;

/**
 * The erasures of a file: pages of the list, or erasures, each a line of JSON, or one JSON document.
 *
 * @throws TidemarkError `COMMAND_INVALID` where the file cannot be read or is no such list.
 */
export async function readErasuresFile(path: string): Promise<readonly ErasureRow[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw commandInvalid(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  });
  return (
    documentsIn(path, text)
      .flatMap((document) => (Array.isArray(document['erasures']) ? (document['erasures'] as Listed[]) : [document]))
      // A backup says itself which projects were deleted.
      .filter(({ internal_id: user }) => user !== null)
      .map((listed) => erasureRowOf(path, listed))
  );
}

function documentsIn(path: string, text: string): readonly Listed[] {
  try {
    return [JSON.parse(text) as Listed];
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    try {
      return lines.map((line) => JSON.parse(line) as Listed);
    } catch {
      throw notAList(path);
    }
  }
}

function erasureRowOf(path: string, listed: Listed): ErasureRow {
  const fault = (): TidemarkError => notAList(path);
  const { id, project, internal_id: user, suppress, state, actor, came_with: cameWith, report } = listed;
  if (typeof id !== 'string' || typeof project !== 'string' || typeof actor !== 'string') throw fault();
  if (typeof user !== 'string' || !isHex(user, 64) || typeof suppress !== 'boolean') throw fault();
  if (state !== 'pending' && state !== 'done') throw fault();
  const at = (name: string): number | null => readMicros(listed[name], fault);
  const [requestedAt, dueAt] = [at('requested_at'), at('due_at')];
  if (requestedAt === null || dueAt === null) throw fault();
  return {
    id,
    project_id: project,
    user_key: user,
    cut_us: at('cut'),
    suppress,
    came_with: typeof cameWith === 'string' ? cameWith : null,
    state,
    requested_at_us: requestedAt,
    due_at_us: dueAt,
    finished_at_us: at('finished_at'),
    lifted_at_us: at('lifted_at'),
    actor,
    report: report === null || report === undefined ? null : JSON.stringify(report),
    kept_apart: readKeys(listed['kept_apart'], fault),
  };
}

function readKeys(value: unknown, fault: () => TidemarkError): readonly string[] | null {
  if (value === null || value === undefined) return null;
  const areKeys = Array.isArray(value) && value.every((one) => typeof one === 'string' && isHex(one, 64));
  if (!areKeys) throw fault();
  return value as readonly string[];
}

/** An instant that is written out has at most microseconds, and is far below what a double holds. */
function readMicros(value: unknown, fault: () => TidemarkError): number | null {
  if (value === null || value === undefined) return null;
  const parsed = typeof value === 'string' ? parseTimestamp(value, 'UTC') : undefined;
  if (parsed?.ok !== true) throw fault();
  return Number(parsed.micros);
}

function notAList(path: string): TidemarkError {
  return commandInvalid(`${path} is no list of erasures, as tidemark forget list --json gives it.`);
}
