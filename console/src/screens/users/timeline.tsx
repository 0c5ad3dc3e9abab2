/** What happened to a user, newest first, by day, a page after the other; a row opens in its place. */
import { useState } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { TimelineEntry } from '../../api/types.ts';
import { linkTo, parameter, setParameters } from '../../api/address.ts';
import { FilterField, Filters } from '../../parts/choice.tsx';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { useEscape } from '../../parts/keyboard.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { RowButton } from '../../parts/table.tsx';
import { Clock, dayIn, exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { Button } from '../../parts/form.tsx';
import { MessageDetails } from '../message-details.tsx';
import { targetOf, type UserName } from '../user-link.ts';
import { More, usePages } from '../../parts/loading/use-pages.tsx';

/** The kinds, as the service calls them. */
const ENTRY_KINDS = { track: 'Events', identify: 'Identifies', session: 'Sessions', audience: 'Audiences' } as const;
type EntryKind = keyof typeof ENTRY_KINDS;
const ALL = Object.keys(ENTRY_KINDS) as EntryKind[];

export function Timeline({ name }: { readonly name: UserName }) {
  const narrowing = narrowingInAddress();
  const { types, ...filter } = narrowing;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const [isOpen, setOpen] = useState(isFiltered);
  const pages = usePages(
    (cursor) => requestOf(name, narrowing, cursor),
    ({ timeline }) => timeline,
  );
  const isWhole = !isFiltered && types.length === ALL.length;
  return (
    <Section
      id="timeline"
      title="Timeline"
      actions={<Button label="Filter" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />}
    >
      <KindButtons types={types} />
      {isOpen && (
        <Filters label="Narrow">
          <FilterField name="event" label="Event" isSearch />
          <FilterField name="since" label="Since" type="date" />
          <FilterField name="until" label="Before" type="date" />
        </Filters>
      )}
      <TimelineDays entries={pages.items} />
      <More
        pages={pages}
        what="the timeline"
        none={<p class="quiet below">{isWhole ? 'Nothing yet.' : 'Nothing like this.'}</p>}
        end={isWhole ? 'There is nothing earlier.' : 'There is nothing earlier like this.'}
      />
    </Section>
  );
}

type TimelineFilter = ReturnType<typeof narrowingInAddress>;

/** What the address asks for: `since` and `until` are days in the project's time zone. */
function narrowingInAddress() {
  const chosen = ALL.filter((kind) => parameter('types')?.split(',').includes(kind));
  const types = chosen.length === 0 ? ALL : chosen;
  return { types, event: parameter('event'), since: parameter('since'), until: parameter('until') };
}

/** The first page, as the address narrows it. */
export function timelineRequest(name: UserName) {
  return requestOf(name, narrowingInAddress());
}

/** A name of events leaves everything else out. */
function requestOf(name: UserName, { types, event, since, until }: TimelineFilter, cursor?: string) {
  const { path, query } = targetOf(name);
  const wanted = event === undefined ? types : ['track'];
  const named = wanted.length === ALL.length ? undefined : wanted.join(',');
  return operation('GET /v1/users/{user_id}/timeline', {
    path,
    query: { ...query, types: named, event, since, until, limit: 50, cursor },
  });
}

/** The first press of one leaves it alone; a press of the last that is left brings all back. */
function KindButtons({ types }: Pick<TimelineFilter, 'types'>) {
  const toggle = (kind: EntryKind): void => {
    const others = types.filter((one) => one !== kind);
    const next = types.length === ALL.length ? [kind] : types.includes(kind) ? others : [...types, kind];
    setParameters({ types: next.length === ALL.length ? '' : next.join(',') });
  };
  return (
    <div class="row kinds" role="group" aria-label="Show">
      {ALL.map((kind) => (
        <Button
          label={ENTRY_KINDS[kind]}
          key={kind}
          look="chip"
          aria-pressed={types.includes(kind)}
          onClick={() => toggle(kind)}
        />
      ))}
    </div>
  );
}

function TimelineDays({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const [open, setOpen] = useState<TimelineEntry>();
  useEscape(() => setOpen(undefined));
  const zone = zoneOf(zoneChoice.value);
  const days = Map.groupBy(entries, (entry) => dayIn(timeOf(entry), zone));
  return [...days].map(([day, ofDay]) => (
    <section key={day} class="timeline-day" aria-label={day}>
      <h3 class="quiet small">{day}</h3>
      <ul class="rows">
        {ofDay.map((entry) => (
          <li key={keyOf(entry)}>
            <RowButton
              look="row-button event-row"
              isOpen={entry === open}
              onToggle={() => setOpen(entry === open ? undefined : entry)}
            >
              <Clock at={timeOf(entry)} isOfDay />
              <span class={`kind ${entry.type}`}>{titleOf(entry)}</span>
              <Excerpt
                value={entry.type === 'track' ? entry.properties : entry.type === 'audience' ? {} : entry.traits}
              />
            </RowButton>
            {entry === open && <TimelineDetails entry={entry} />}
          </li>
        ))}
      </ul>
    </section>
  ));
}

function timeOf(entry: TimelineEntry): string {
  return entry.type === 'audience' ? entry.at : entry.timestamp;
}

function keyOf(entry: TimelineEntry): string {
  const id = entry.type === 'audience' ? entry.audience_id : entry.message_id;
  return [entry.type, id, timeOf(entry), titleOf(entry)].join(' ');
}

function titleOf(entry: TimelineEntry): string {
  if (entry.type === 'audience') return `${entry.change} ${entry.name ?? entry.audience_id}`;
  return entry.type === 'track' ? entry.event : entry.type;
}

function TimelineDetails({ entry }: { readonly entry: TimelineEntry }) {
  if (entry.type === 'track') return <MessageDetails message={entry} value={entry.properties} />;
  if (entry.type !== 'audience') {
    return <MessageDetails message={entry} value={entry.cut === true ? undefined : entry.traits} />;
  }
  const counted = exactTime(entry.at);
  return (
    <div class="details">
      <Facts of={{ Counted: counted, 'By version': entry.version.rawJSON, Because: entry.cause }} />
      <p>
        <a href={linkTo(['audiences', entry.audience_id])}>Go to the audience</a>
      </p>
    </div>
  );
}
