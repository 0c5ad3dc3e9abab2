/** One event: how much of it there was, its properties, and the newest of it. */
import { operation } from '../../api/client.ts';
import type { CatalogProperties } from '../../api/types.ts';
import { address, linkTo } from '../../api/address.ts';
import type { CopyAsProps } from '../../parts/copy-as.tsx';
import { grouped } from '../../parts/numbers.ts';
import { Empty } from '../../parts/loading/states.tsx';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Conditions } from './conditions.tsx';
import { Measured } from './measured.tsx';
import { Newest, NEWEST } from './newest.tsx';
import { Properties } from './properties.tsx';
import { audienceOf, countsBody, isWhole, queryBody, type Question, questionOf } from './question.ts';
import { QuestionForm } from './question-form.tsx';

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
      <Ready of={catalog} what="the event" missing={<NoSuchEvent />}>
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

function NoSuchEvent() {
  return (
    <Empty title="No event has this name">
      An event is known within a minute after it was first sent. Names are case-sensitive.{' '}
      <a href={linkTo(['events'])}>See all events</a>.
    </Empty>
  );
}

function Event({ catalog: { event, properties, next_cursor: next } }: { readonly catalog: CatalogProperties }) {
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
        <Measured question={question} />
      </section>
      <Properties properties={properties} hasMore={next !== null} />
      <Newest question={question} />
    </>
  );
}
