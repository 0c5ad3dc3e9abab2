/** The newest of the events that the question means; a row opens in its place. */
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { ProjectEvent } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { More } from '../../parts/loading/more.tsx';
import { Clock } from '../../parts/time.tsx';
import { usePages } from '../../parts/loading/use-pages.ts';
import { useEscape } from '../../parts/loading/use-escape.ts';
import { Section } from '../../parts/page.tsx';
import { EventDetails } from '../event-details.tsx';
import { userLink } from '../user-link.ts';
import { queryBody, type Question } from './question.ts';

/** On a page of the list. */
export const NEWEST = 20;

export function Newest({ question }: { readonly question: Question }) {
  const pages = usePages(queryBody(question, NEWEST), async (cursor, signal) => {
    const asked = operation('POST /v1/events/query', { body: queryBody(question, NEWEST, cursor) });
    const { events, next_cursor: next } = await ask({ ...asked, signal });
    return { items: events, next };
  });
  return (
    <Section id="newest" title="Newest">
      <Rows events={pages.items} />
      <More
        pages={pages}
        what="events"
        none={<p class="quiet">No such events in this period.</p>}
        end="No earlier events in this period."
      />
    </Section>
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
            {isOpen && <EventDetails event={event} user={<User event={event} />} />}
          </li>
        );
      })}
    </ul>
  );
}

function User({ event }: { readonly event: ProjectEvent }) {
  return (
    <a class="id" href={userLink(event)}>
      {event.user_id ?? event.anonymous_id ?? `${event.internal_id.slice(0, 12)}…`}
    </a>
  );
}
