/** What a user's timeline has beside events: identifies, sessions, and audiences entered and left. */
import { useState } from 'preact/hooks';
import { type Json, parseJson } from '../../api/json.ts';
import { Excerpt, JsonView } from '../../parts/json/json-view.tsx';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { count } from '../../parts/numbers.ts';
import { Clock, exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { useLoad } from '../../parts/loading/use-load.ts';
import { useEscape } from '../../parts/loading/use-escape.ts';
import type { UserName } from '../user-link.ts';
import { exportLines } from './export-lines.ts';

interface Entry {
  readonly at: string;
  readonly kind: 'identify' | 'session' | 'audience';
  readonly title: string;
  readonly messageId: string | undefined;
  readonly value: Readonly<Record<string, Json>>;
}

/** Lines of events that are skipped at most. Lines after them are not read. */
const MOST_EVENTS = 20_000;
const SHOWN = 500;

interface Found {
  /** Newest first. */
  readonly entries: readonly Entry[];
  readonly isWhole: boolean;
}

export function OtherMessages({ name }: { readonly name: UserName }) {
  const loaded = useLoad(JSON.stringify(name), async (signal) => findEntries(name, signal));
  if (loaded.state === 'loading') return <Loading what="the messages" />;
  if (loaded.state === 'failed') return <Problem error={loaded.error} retry={loaded.retry} />;
  const { entries, isWhole } = loaded.value;
  return (
    <>
      <Entries entries={entries.slice(0, SHOWN)} />
      <p class="quiet below">{endText(entries.length, isWhole)}</p>
    </>
  );
}

function endText(entries: number, isWhole: boolean): string {
  if (!isWhole)
    return `This user has over ${count(MOST_EVENTS)} events, so audiences are left out: the export has them.`;
  if (entries > SHOWN) return `The newest ${SHOWN}: the export has all of them.`;
  return entries === 0 ? 'No identifies, sessions or audiences yet.' : 'There is nothing earlier.';
}

/** They come in the export alone, the audiences behind the events. */
async function findEntries(name: UserName, signal: AbortSignal): Promise<Found> {
  const entries: Entry[] = [];
  let events = 0;
  for await (const line of exportLines(name, signal)) {
    if (line.startsWith('{"type":"track"')) events++;
    else entries.push(...entryOf(parseJson(line) as unknown as ExportLine));
    if (events > MOST_EVENTS) break;
  }
  // Lines of one kind are in the order of their arrival: of those of one time the last comes first.
  const newestFirst = entries.toReversed().toSorted((a, b) => Number(a.at < b.at) - Number(a.at > b.at));
  return { entries: newestFirst, isWhole: events <= MOST_EVENTS };
}

type ExportLine =
  | {
      readonly type: 'identify' | 'session';
      readonly message_id: string;
      readonly timestamp: string;
      readonly traits: Readonly<Record<string, Json>>;
    }
  | {
      readonly type: 'audience';
      readonly name: string | null;
      readonly audience_id: string;
      readonly change: 'entered' | 'left';
      readonly at: string;
    }
  | { readonly type: 'profile' | 'anonymous_id' };

function entryOf(line: ExportLine): readonly Entry[] {
  if (line.type === 'identify' || line.type === 'session') {
    const { type: kind, timestamp: at, message_id: messageId, traits: value } = line;
    return [{ at, kind, title: kind, messageId, value }];
  }
  if (line.type !== 'audience') return [];
  const title = `${line.change} ${line.name ?? line.audience_id}`;
  return [{ at: line.at, kind: 'audience', title, messageId: undefined, value: {} }];
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const [open, setOpen] = useState<Entry>();
  useEscape(() => setOpen(undefined));
  if (entries.length === 0) return null;
  return (
    <ul class="rows">
      {entries.map((entry, i) => (
        <li key={i}>
          <button
            type="button"
            class="row-button event-row"
            data-row
            aria-expanded={entry === open}
            onClick={() => setOpen(entry === open ? undefined : entry)}
          >
            <Clock at={entry.at} />
            <span class={`kind ${entry.kind}`}>{entry.title}</span>
            <Excerpt value={entry.value} />
          </button>
          {entry === open && <Details entry={entry} />}
        </li>
      ))}
    </ul>
  );
}

function Details({ entry }: { readonly entry: Entry }) {
  return (
    <div class="details">
      <dl class="facts">
        <div>
          <dt>{entry.kind === 'audience' ? 'Counted' : 'Happened'}</dt>
          <dd>{exactTime(entry.at, zoneOf(zoneChoice.value))}</dd>
        </div>
        {entry.messageId !== undefined && (
          <div>
            <dt>Message id</dt>
            <dd>{entry.messageId}</dd>
          </div>
        )}
      </dl>
      {entry.kind !== 'audience' && <JsonView value={entry.value} />}
    </div>
  );
}
