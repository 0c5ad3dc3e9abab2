/** The events of one user, newest first, a page after the other; a row opens in its place. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask, type Query } from '../api/client.ts';
import type { EventsPage, UserEvent } from '../api/types.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { Excerpt, JsonView } from '../parts/json-view.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { Clock, exactTime, zoneChoice, zoneOf } from '../parts/time.tsx';
import { useEscape, useRowKeys } from '../parts/use-rows.ts';
import type { UserName } from './user.tsx';

interface Pages {
  readonly events: readonly UserEvent[];
  /** Of the page to be loaded next; null where there is none, '' for the first. */
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly error?: ApiError;
}

export function Timeline({ name }: { readonly name: UserName }) {
  const [pages, setPages] = useState<Pages>({ events: [], next: '', isLoading: false });
  const request = eventsRequest(name);
  useRowKeys();
  const loadMore = (signal?: AbortSignal): void => {
    setPages({ events: pages.events, next: pages.next, isLoading: true });
    ask<EventsPage>({
      ...request,
      query: { ...request.query, cursor: pages.next ?? '' },
      ...(signal && { signal }),
    }).then(
      ({ events, next_cursor: next }) => setPages({ events: [...pages.events, ...events], next, isLoading: false }),
      (error: unknown) => {
        if (signal?.aborted === true) return;
        if (!(error instanceof ApiError)) throw error;
        setPages({ ...pages, isLoading: false, error });
      },
    );
  };
  useEffect(() => {
    const controller = new AbortController();
    loadMore(controller.signal);
    return () => controller.abort();
  }, []);
  return (
    <>
      <div class="section-head">
        <h2 id="timeline">Events</h2>
        <CopyAs {...request} {...('user_id' in name && { tidemark: ['user', 'events', name.user_id] })} />
      </div>
      <Events events={pages.events} />
      {pages.isLoading && <Loading what="events" />}
      {pages.error !== undefined && <Problem error={pages.error} retry={() => loadMore()} />}
      {!pages.isLoading && pages.error === undefined && <End pages={pages} onMore={() => loadMore()} />}
    </>
  );
}

function End({ pages, onMore }: { readonly pages: Pages; readonly onMore: () => void }) {
  if (pages.next !== null) {
    return (
      <button type="button" class="below" onClick={onMore}>
        Earlier events
      </button>
    );
  }
  return <p class="quiet below">{pages.events.length === 0 ? 'No events yet.' : 'These are all events.'}</p>;
}

function Events({ events }: { readonly events: readonly UserEvent[] }) {
  const [open, setOpen] = useState<UserEvent>();
  useEscape(() => setOpen(undefined));
  return (
    <ul class="rows">
      {events.map((event) => {
        const isOpen = event === open;
        return (
          <li key={event.message_id + event.event}>
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

function EventDetails({ event }: { readonly event: UserEvent }) {
  const zone = zoneOf(zoneChoice.value);
  const facts = {
    Happened: exactTime(event.timestamp, zone),
    Received: exactTime(event.received_at, zone),
    'Message id': event.message_id,
    ...(event.session_id !== null && { Session: event.session_id }),
    ...(event.anonymous_id !== null && { 'Anonymous id': event.anonymous_id }),
  };
  return (
    <div class="details">
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="id">{value}</dd>
          </div>
        ))}
      </dl>
      <JsonView value={event.properties} />
    </div>
  );
}

function eventsRequest(name: UserName): { readonly path: string; readonly query: Query } {
  const query = { limit: '50' };
  if ('user_id' in name) return { path: `v1/users/${encodeURIComponent(name.user_id)}/events`, query };
  return { path: 'v1/events', query: { ...query, internal_id: name.internal_id } };
}
