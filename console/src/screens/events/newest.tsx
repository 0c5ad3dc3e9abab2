/** The newest of the events that the question means; a row opens in its place. */
import type { ProjectEvent, ProjectEventsPage } from '../../api/events.ts';
import { ask } from '../../api/client.ts';
import { address, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Excerpt, JsonView } from '../../parts/json-view.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Clock, exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { useEscape } from '../../parts/use-rows.ts';
import { userLink } from '../user-link.ts';
import { queryBody, type Question } from './question.ts';

const PATH = 'v1/events/query';
const PAGE = 20;

export function Newest({ question }: { readonly question: Question }) {
  const body = queryBody(question, PAGE);
  const { items, isEnd, isLoading, error, more } = usePages(body, async (cursor, signal) => {
    const request = { method: 'POST', path: PATH, body: queryBody(question, PAGE, cursor), signal } as const;
    const { events, next_cursor: next } = await ask<ProjectEventsPage>(request);
    return { items: events, next };
  });
  return (
    <section class="newest" aria-labelledby="newest">
      <div class="section-head">
        <h2 id="newest">Newest</h2>
        <CopyAs method="POST" path={PATH} body={body} />
      </div>
      <Rows events={items} />
      {isLoading && <Loading what="events" />}
      {!isLoading && error !== undefined && <Problem error={error} retry={more} />}
      {!isLoading && error === undefined && !isEnd && (
        <button type="button" class="below" onClick={more}>
          Earlier events
        </button>
      )}
      {isEnd && items.length === 0 && <p class="quiet">No such events in this period.</p>}
      {isEnd && items.length > 0 && <p class="quiet below">There are no earlier ones in this period.</p>}
    </section>
  );
}

function Rows({ events }: { readonly events: readonly ProjectEvent[] }) {
  const open = address.value.query.get('open');
  useEscape(() => setParameters({ open: '' }));
  if (events.length === 0) return null;
  return (
    <ul class="rows">
      {events.map((event) => {
        const id = event.message_id;
        const isOpen = id === open;
        return (
          <li key={id + event.internal_id + event.timestamp}>
            <button
              type="button"
              class="row-button newest-row"
              data-row
              aria-expanded={isOpen}
              onClick={() => setParameters({ open: isOpen ? '' : id })}
            >
              <Clock at={event.timestamp} />
              <span class="who">{event.user_id ?? <span class="quiet">{event.anonymous_id ?? 'anonymous'}</span>}</span>
              <Excerpt value={event.properties} />
            </button>
            {isOpen && <Details event={event} />}
          </li>
        );
      })}
    </ul>
  );
}

function Details({ event }: { readonly event: ProjectEvent }) {
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
        <div>
          <dt>User</dt>
          <dd>
            <a class="id" href={userLink(event)}>
              {event.user_id ?? event.anonymous_id ?? `${event.internal_id.slice(0, 12)}…`}
            </a>
          </dd>
        </div>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <JsonView value={event.properties} />
    </div>
  );
}
