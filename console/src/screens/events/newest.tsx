/** The newest of the events that the question means; a row opens in its place. */
import { operation } from '../../api/client.ts';
import type { ProjectEvent } from '../../api/types.ts';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { Clock } from '../../parts/time.tsx';
import { isOpenRow, RowButton, toggleRow, useOpenRow } from '../../parts/table.tsx';
import { Section } from '../../parts/page.tsx';
import { MessageDetails } from '../message-details.tsx';
import { type ListedUser, namesWanted, UserCell } from '../../parts/user-cell.tsx';
import { userLink } from '../user-link.ts';
import { queryBody, type Question } from './question.ts';
import { More, usePages } from '../../parts/loading/use-pages.tsx';

/** On a page of the list. */
export const NEWEST = 20;

export function Newest({ question }: { readonly question: Question }) {
  const traits = namesWanted();
  const requestOf = (cursor?: string) =>
    operation('POST /v1/events/query', { body: queryBody(question, NEWEST, { traits, cursor }) });
  const pages = usePages(requestOf, ({ events }) => events);
  return (
    <Section
      id="newest"
      title="Newest"
      actions={<DownloadCsv name={`${question.event} events`} of={requestOf()} label="Download events as CSV" />}
    >
      <NewestRows events={pages.items} />
      <More
        pages={pages}
        what="events"
        none={<p class="quiet">No such events in this period.</p>}
        end="No earlier events in this period."
      />
    </Section>
  );
}

function NewestRows({ events }: { readonly events: readonly ProjectEvent[] }) {
  useOpenRow();
  if (events.length === 0) return null;
  return (
    <ul class="rows">
      {events.map((event) => {
        const id = event.message_id;
        const isOpen = isOpenRow(id);
        return (
          <li key={id + event.internal_id + event.timestamp}>
            <RowButton look="row-button live-row newest-row" isOpen={isOpen} onToggle={() => toggleRow(id)}>
              <Clock at={event.timestamp} />
              <UserCell user={userOf(event)} isBrief />
              <Excerpt value={event.properties} />
            </RowButton>
            {isOpen && (
              <MessageDetails
                message={event}
                value={event.properties}
                user={
                  <a href={userLink(event)}>
                    <UserCell user={userOf(event)} />
                  </a>
                }
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function userOf({ user_traits: traits, ...event }: ProjectEvent): ListedUser {
  return traits === undefined ? event : { ...event, traits };
}
