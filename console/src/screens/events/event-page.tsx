/** One event: how much of it there was, its properties, and the newest of it. */
import type { ApiError } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { CatalogProperties } from '../../api/types.ts';
import { address, linkTo } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { grouped } from '../../parts/numbers.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { Conditions } from './conditions.tsx';
import { Measured } from './measured.tsx';
import { Newest } from './newest.tsx';
import { Properties } from './properties.tsx';
import { audienceOf, countsBody, isWhole, questionOf } from './question.ts';
import { QuestionForm } from './question-form.tsx';

export function EventPage({ event }: { readonly event: string }) {
  const path = { name: event };
  const catalog = useAnswer(operation('GET /v1/catalog/events/{name}/properties', { path, query: { limit: 200 } }));
  const question = questionOf(event, address.value.query, Date.now());
  return (
    <div class="screen">
      <p class="up">
        <a href={linkTo(['events'])}>Events</a>
      </p>
      <div class="head">
        <h1>{event}</h1>
        <div class="row actions">
          <a class="button" href={linkTo(['audiences', 'new'], { definition: audienceOf(question) })}>
            Make an audience
          </a>
          {isWhole(question) && (
            <CopyAs request={operation('POST /v1/events/counts', { body: countsBody(question) })} />
          )}
        </div>
      </div>
      {catalog.state === 'loading' && <Loading what="the event" />}
      {catalog.state === 'failed' && <NotShown error={catalog.error} retry={catalog.retry} />}
      {catalog.state === 'ready' && <Known catalog={catalog.value} />}
    </div>
  );
}

function NotShown({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  if (error.status !== 404) return <Problem error={error} retry={retry} />;
  return (
    <Empty title="No event has this name">
      <p>
        A name is known within a minute after its first event. Names are case-sensitive.{' '}
        <a href={linkTo(['events'])}>See all events</a>.
      </p>
    </Empty>
  );
}

function Known({ catalog: { event, properties, next_cursor: next } }: { readonly catalog: CatalogProperties }) {
  const question = questionOf(event.name, address.value.query, Date.now());
  return (
    <>
      <p class="seen quiet">
        {grouped(event.count.rawJSON)} recorded · last <Ago at={event.last_seen} /> · first{' '}
        <Ago at={event.first_seen} />
      </p>
      <section class="question" aria-label="Measured">
        <QuestionForm question={question} properties={properties} />
        <Conditions of="property" where={question.where} members={properties} />
        <Measured question={question} />
      </section>
      <Properties properties={properties} hasMore={next !== null} />
      <Newest question={question} />
    </>
  );
}
