/** One event: how much of it there was, its properties, and the newest of it. */
import { operation } from '../../api/client.ts';
import type { CatalogMember, CatalogProperties } from '../../api/types.ts';
import { address, linkTo, setParameters } from '../../api/address.ts';
import type { CopyAsProps } from '../../parts/copy-as.tsx';
import { grouped, shareText } from '../../parts/numbers.ts';
import { LinkButton, ScreenPage, Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { Empty, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Conditions } from './conditions.tsx';
import { Measured } from './measured.tsx';
import { Newest, NEWEST } from './newest.tsx';
import { audienceOf, countsBody, isWhole, queryBody, type Question, questionOf } from './question.ts';
import { QuestionForm } from './question-form.tsx';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { Button } from '../../parts/form.tsx';

export function EventPage({ event }: { readonly event: string }) {
  const path = { name: event };
  const catalog = useAnswer(operation('GET /v1/catalog/events/{name}/properties', { path, query: { limit: 200 } }));
  const question = questionOf(event, address.value.query, Date.now());
  return (
    <ScreenPage
      title={event}
      up={{ path: 'events', name: 'Events' }}
      actions={
        <LinkButton
          label="Make an audience"
          link={linkTo(['audiences', 'new'], { definition: audienceOf(question) })}
        />
      }
      copy={commandsOf(question)}
    >
      <Ready
        of={catalog}
        what="the event"
        missing={
          <Empty title="No event has this name">
            An event is known within a minute after it was first sent. Names are case-sensitive.{' '}
            <a href={linkTo(['events'])}>See all events</a>.
          </Empty>
        }
      >
        {(found) => <Event catalog={found} />}
      </Ready>
    </ScreenPage>
  );
}

/** What the chart and the list below it ask. */
function commandsOf(question: Question): CopyAsProps {
  const newest = operation('POST /v1/events/query', { body: queryBody(question, NEWEST) });
  if (!isWhole(question)) return { request: newest };
  const counts = operation('POST /v1/events/counts', { body: countsBody(question) });
  return { request: counts, also: { 'newest events': newest } };
}

function Event({ catalog }: { readonly catalog: CatalogProperties }) {
  const { event, properties } = catalog;
  const question = questionOf(event.name, address.value.query, Date.now());
  return (
    <>
      <p class="seen quiet">
        {grouped(event.count.rawJSON)} recorded · last <Ago at={event.last_seen} /> · first{' '}
        <Ago at={event.first_seen} />
      </p>
      <section class="card question" aria-label="Measured">
        <QuestionForm question={question} properties={properties} />
        <Conditions of="property" where={question.where} members={properties} />
        {isWhole(question) ? <Measured question={question} /> : <p class="quiet">Choose a property to measure.</p>}
      </section>
      <Properties catalog={catalog} />
      <Newest question={question} />
    </>
  );
}

/** The properties that the event was sent with: how often, of which types, with examples. */
function Properties({ catalog: { properties, next_cursor: next } }: { readonly catalog: CatalogProperties }) {
  return (
    <Section
      id="properties"
      title="Properties"
      count={next !== null ? `${properties.length} most frequent` : properties.length}
    >
      <Listing
        rows={properties}
        keyOf={({ name }) => name}
        columns={PROPERTY_COLUMNS}
        none={<p class="quiet">This event was never sent with properties.</p>}
      />
    </Section>
  );
}

function splitBy(name: string): void {
  setParameters({ split: `property:${name}` }, { push: true });
  document.querySelector('.question')?.scrollIntoView({ block: 'start' });
}

const PROPERTY_COLUMNS: readonly CellColumn<CatalogMember>[] = [
  { name: 'Property', cell: ({ name }) => name },
  {
    name: 'Type',
    cell: ({ types }) => (
      <ul class="types">
        {types.map(({ type, share }) => (
          <li key={type}>
            {type} {types.length > 1 && <span class="quiet">{shareText(Number(share.rawJSON), 1)}</span>}
          </li>
        ))}
      </ul>
    ),
  },
  {
    name: 'Examples',
    look: 'narrow-off',
    cell: ({ examples }) => (
      <ul class="examples">
        {examples.map((example) => (
          <li key={example}>
            <code>{example}</code>
          </li>
        ))}
      </ul>
    ),
  },
  { name: 'Recorded', look: 'number', cell: ({ count }) => grouped(count.rawJSON) },
  {
    name: 'Split',
    look: 'number',
    isHidden: true,
    cell: ({ name }) => (
      <Button label="Split" look="plain" onClick={() => splitBy(name)} aria-label={`Split by ${name}`} />
    ),
  },
];
