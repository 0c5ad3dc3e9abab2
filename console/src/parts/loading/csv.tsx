/** A list as a file for a spreadsheet: what the page asks, page after page, as far as a bound. */
import { ApiError, noAnswer, type Operation, send } from '../../api/client.ts';
import { isList, isObject, type Json, type JsonObject, parseJson, valueText } from '../../api/json.ts';
import { csvLine } from '../../../../schemas/csv-line.ts';
import { count } from '../numbers.ts';
import { fileNameOf, TextFile } from '../text-file.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './use-load.tsx';
import { useChange } from './change.tsx';
import { Button } from '../form.tsx';

const MOST_ROWS = 1_000_000;

interface DownloadCsvProps {
  /** What the list is of: `users`. */
  readonly name: string;
  /** What the page asks. Its own cursor does not count. */
  readonly of: Operation;
  /** How many rows are asked for at once. */
  readonly limit?: number;
  readonly label?: string;
}

/** The columns are named as the interface names what is in them: by these names an import knows it again. */
export function DownloadCsv({ name, of, limit = 1_000, label = 'Download CSV' }: DownloadCsvProps) {
  const save = async (tell: (rows: number) => void, signal: AbortSignal): Promise<string> => {
    const file = new TextFile();
    let heads: readonly string[] | undefined;
    let next: string | null = null;
    do {
      const page = await pageOf(requestAt(of, next, limit), signal);
      const rows = page.rows.map(cellsOf);
      if (heads === undefined) file.add(csvLine((heads = [...new Set(rows.flatMap(Object.keys))])));
      for (const row of rows) file.add(csvLine(heads.map((head) => csvText(row[head]))));
      next = page.next;
      tell(file.count - 1);
    } while (next !== null && file.count <= MOST_ROWS);
    file.save(`${fileNameOf(name)}.csv`);
    return next === null ? '' : `The file has the first ${count(file.count - 1)}. There are more.`;
  };
  return <Download label={label} unit="rows" run={save} />;
}

function requestAt(of: Operation, cursor: string | null, limit: number): Operation {
  if (typeof of.body === 'string') {
    const body = { ...(parseJson(of.body) as JsonObject), limit, cursor: cursor ?? undefined };
    return { ...of, body: JSON.stringify(body) };
  }
  const [path = '', text] = of.path.split('?');
  const query = new URLSearchParams(text);
  query.set('limit', String(limit));
  query.delete('cursor');
  if (cursor !== null) query.set('cursor', cursor);
  return { ...of, path: `${path}?${query.toString()}` };
}

interface Page {
  readonly rows: readonly JsonObject[];
  readonly next: string | null;
}

const MOST_CUTS = 3;

/** One that is cut on the way is asked for again. */
async function pageOf(request: Operation, signal: AbortSignal, cuts = 0): Promise<Page> {
  const response = await send({ ...request, signal });
  try {
    const text = await response.text();
    if (!response.headers.get('Content-Type')?.startsWith('application/x-ndjson')) return pageIn(parseJson(text));
    const lines = text.trimEnd().split('\n').map(parseJson);
    return { ...pageIn(lines.pop() ?? null), rows: lines as readonly JsonObject[] };
  } catch (error) {
    if (signal.aborted || error instanceof ApiError || cuts === MOST_CUTS) throw error;
    return pageOf(request, signal, cuts + 1);
  }
}

/** @throws TypeError Where it does not say what comes next. */
function pageIn(answer: Json): Page {
  if (!isObject(answer) || answer['next_cursor'] === undefined) throw new TypeError('cut');
  const rows = (Object.values(answer).find(isList) ?? []) as readonly JsonObject[];
  return { rows, next: answer['next_cursor'] as string | null };
}

/** What has a column for each member, and how its name begins. What was asked for by name has columns of these names alone. */
const OPENED: Readonly<Record<string, string>> = {
  last_attempt: 'last_attempt.',
  principal: 'principal.',
  properties: 'properties.',
  traits: '',
  user_traits: '',
};

function cellsOf(row: JsonObject): Readonly<Record<string, Json>> {
  const cells = Object.entries(row).flatMap(([name, value]): [string, Json][] => {
    const start = OPENED[name];
    const members = start === undefined || !isObject(value) ? [] : Object.entries(value);
    const opened = members.map(([member, of]): [string, Json] => [start + member, of]);
    return start === '' ? opened : [...opened, [name, value]];
  });
  return Object.fromEntries(cells);
}

function csvText(value: Json = null): string | null {
  return value === null ? null : valueText(value);
}

interface DownloadProps {
  readonly label: string;
  /** What is counted while it runs: `users`. */
  readonly unit: string;
  /** Makes the file and saves it. What it resolves with is said beside the button. */
  readonly run: (tell: (lines: number) => void, signal: AbortSignal) => Promise<string | void>;
}

/** A button that makes a file, says how far it is, and can be stopped. */
export function Download({ label, unit, run: save }: DownloadProps) {
  const [lines, setLines] = useState(0);
  const [note, setNote] = useState<string>();
  const { isBusy, error, run } = useChange();
  const controller = useRef<AbortController>(undefined);
  const stop = (): void => controller.current?.abort();
  useEffect(() => stop, []);
  const start = (): void => {
    const { signal } = (controller.current = new AbortController());
    const fail = (failure: unknown): void => {
      if (!signal.aborted) throw failure instanceof ApiError ? failure : noAnswer();
    };
    setLines(0);
    run(async () => save(setLines, signal).then((said) => setNote(said ?? ''), fail));
  };
  if (isBusy) {
    return (
      <span class="row" role="status">
        <span class="quiet">
          {count(lines)} {unit}…
        </span>
        <Button label="Stop" look="plain" onClick={stop} />
      </span>
    );
  }
  return (
    <>
      {note !== undefined && <span class="quiet small">{note}</span>}
      <Button label={label} onClick={start} />
      {error !== undefined && <Problem error={error} />}
    </>
  );
}
