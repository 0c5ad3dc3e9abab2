/** The events of one user, newest first, a page after the other; a row opens in its place. */
import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { UserEvent } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { More } from '../../parts/loading/more.tsx';
import { Clock } from '../../parts/time.tsx';
import { usePages } from '../../parts/loading/use-pages.ts';
import { useEscape } from '../../parts/loading/use-escape.ts';
import { EventDetails } from '../event-details.tsx';
import { OtherMessages } from './other-messages.tsx';
import { eventsRequest, targetOf, type UserName } from '../user-link.ts';

/** The narrowing that the address has: `since` and `until` are days in the project's time zone. */
interface Narrowing {
  readonly event: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** Events, a page after the other; or, of all there is, what is not an event. */
export function Timeline({ name }: { readonly name: UserName }) {
  const { query } = address.value;
  const shows = query.get('show') === 'other' ? 'other' : '';
  const [event, since, until] = ['event', 'since', 'until'].map((key) => query.get(key) ?? undefined);
  const narrowing = { event, since, until };
  const asked = eventsRequest(name, { ...narrowing, limit: 50 });
  const tidemark = name.by === 'user_id' && { tidemark: tidemarkOf(name.id, narrowing) };
  return (
    <>
      <div class="section-head">
        <h2 id="timeline">Timeline</h2>
        <div class="row">
          <select
            aria-label="Show"
            value={shows}
            onChange={({ currentTarget }) => setParameters({ show: currentTarget.value }, { push: true })}
          >
            <option value="">Events</option>
            <option value="other">Other messages</option>
          </select>
          {shows === '' ? (
            <CopyAs request={asked} {...tidemark} />
          ) : (
            <CopyAs request={operation('GET /v1/users/{user_id}/export', targetOf(name))} isStream />
          )}
        </div>
      </div>
      {shows === 'other' && <OtherMessages name={name} />}
      {shows === '' && (
        <>
          <NarrowingForm narrowing={narrowing} />
          <Pages key={JSON.stringify(narrowing)} name={name} narrowing={narrowing} />
        </>
      )}
    </>
  );
}

function tidemarkOf(id: string, { event }: Narrowing): readonly string[] {
  return ['user', 'events', id, ...(event === undefined ? [] : ['--event', event])];
}

function NarrowingForm({ narrowing }: { readonly narrowing: Narrowing }) {
  const fieldOf = (name: keyof Narrowing) => ({
    key: narrowing[name] ?? '',
    defaultValue: narrowing[name] ?? '',
    onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      setParameters({ [name]: currentTarget.value.trim() }),
  });
  return (
    <form class="filters narrowing" role="search" aria-label="Narrow" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="label">Event</span>
        <input type="search" maxLength={512} data-search {...fieldOf('event')} />
      </label>
      <label>
        <span class="label">Since</span>
        <input type="date" {...fieldOf('since')} />
      </label>
      <label>
        <span class="label">Before</span>
        <input type="date" {...fieldOf('until')} />
      </label>
    </form>
  );
}

interface PagesProps {
  readonly name: UserName;
  readonly narrowing: Narrowing;
}

function Pages({ name, narrowing }: PagesProps) {
  const isNarrowed = Object.values(narrowing).some(Boolean);
  const pages = usePages(JSON.stringify([name, narrowing]), async (cursor, signal) => {
    const asked = eventsRequest(name, { ...narrowing, limit: 50, cursor });
    const { events, next_cursor: next } = await ask({ ...asked, signal });
    return { items: events, next };
  });
  return (
    <>
      <Events events={pages.items} />
      <More pages={pages} what="events" />
      {pages.isEnd && <p class="quiet below">{endText(pages.items.length, isNarrowed)}</p>}
    </>
  );
}

function endText(events: number, isNarrowed: boolean): string {
  if (isNarrowed) return events === 0 ? 'No events like this.' : 'There are no earlier events like these.';
  return events === 0 ? 'No events yet.' : 'There are no earlier events.';
}

function Events({ events }: { readonly events: readonly UserEvent[] }) {
  const [open, setOpen] = useState<UserEvent>();
  useEscape(() => setOpen(undefined));
  if (events.length === 0) return null;
  return (
    <ul class="rows">
      {events.map((event) => {
        const isOpen = event === open;
        return (
          <li key={event.message_id + event.event + event.timestamp}>
            <button
              type="button"
              class="row-button event-row"
              data-row
              aria-expanded={isOpen}
              onClick={() => setOpen(isOpen ? undefined : event)}
            >
              <Clock at={event.timestamp} />
              <span class="kind track">{event.event}</span>
              <Excerpt value={event.properties} />
            </button>
            {isOpen && <EventDetails event={event} />}
          </li>
        );
      })}
    </ul>
  );
}
