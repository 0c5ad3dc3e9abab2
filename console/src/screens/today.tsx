/** What is going on, in sentences; on a project that is new, how to send the first event. */
import { SERVICE } from '../api/client.ts';
import type { LiveRow } from '../api/types.ts';
import { linkTo } from '../frame/router.ts';
import { project } from '../frame/session.ts';
import { Command } from '../parts/copy-as.tsx';
import { Excerpt } from '../parts/json/json-view.tsx';
import { count } from '../parts/numbers.ts';
import { Sparkline } from '../parts/charts/sparkline.tsx';
import { Problem } from '../parts/loading/states.tsx';
import { Clock } from '../parts/time.tsx';
import { useRowKeys } from '../parts/loading/use-rows.ts';
import { userLink } from './user-link.ts';
import { type Feed, useFeed } from './live-feed.ts';
import { useHasData } from './has-data.ts';
import { HowItIs, WantsAttention } from './how-it-is.tsx';

const EVERYTHING = {};

export function Screen() {
  const feed = useFeed(EVERYTHING, false);
  const hasData = useHasData();
  useRowKeys();
  return (
    <div class="screen">
      <div class="head">
        <h1>Today</h1>
        <p class="quiet">{project.value?.name}</p>
      </div>
      {feed.error !== undefined && <Problem error={feed.error} />}
      {hasData === 'no' && <FirstEvent feed={feed} />}
      <WantsAttention />
      {hasData === 'yes' && <Rate feed={feed} />}
      {hasData === 'yes' && <HowItIs />}
      {hasData === 'yes' && <Newest feed={feed} />}
    </div>
  );
}

/** The first curl, and what comes of it. */
function FirstEvent({ feed }: { readonly feed: Feed }) {
  const first = feed.rows.at(-1);
  return (
    <section class="card first" aria-labelledby="first">
      <h2 id="first">Send the first event</h2>
      <p>
        Put a key with the scope <code>write</code> into <code>TIDEMARK_WRITE_KEY</code> and run this in a terminal:
      </p>
      <Command name="curl" text={FIRST_CURL} />
      {first === undefined ? (
        <p class="status" role="status">
          <i class={feed.state === 'open' ? 'dot alive' : 'dot'} aria-hidden="true" />
          {feed.state === 'open' ? 'Listening…' : 'Connecting…'}
        </p>
      ) : (
        <Arrived row={first} />
      )}
    </section>
  );
}

function Arrived({ row }: { readonly row: LiveRow }) {
  return (
    <div class="arrived" role="status">
      <p>
        <b>It is there.</b>
      </p>
      <p class="arrived-row">
        <Clock at={row.received_at} />
        <span class={`kind ${row.type}`}>{row.event ?? row.type}</span>
        <span>{row.user_id ?? row.anonymous_id}</span>
        <Excerpt value={row.properties ?? row.traits ?? {}} />
      </p>
      <p>
        <a href={userLink(row)}>See the user {row.user_id}</a>, or <a href={linkTo(['live'])}>follow what comes in</a>.
      </p>
    </div>
  );
}

const FIRST_CURL = `curl ${SERVICE.origin}${SERVICE.pathname}v1/track \\
  -H "Authorization: Bearer $TIDEMARK_WRITE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"user_id":"ada","event":"Order Completed","properties":{"total":129.90,"currency":"EUR"}}'`;

function Rate({ feed }: { readonly feed: Feed }) {
  const lastMinute = feed.perSecond.reduce((sum, seen) => sum + seen, 0);
  const seconds = Math.max(1, feed.perSecond.length);
  const perSecond = lastMinute / seconds;
  return (
    <section class="card rate" aria-labelledby="rate">
      <h2 id="rate">Coming in</h2>
      <p class="figure">
        <b>{perSecond >= 10 ? count(Math.round(perSecond)) : perSecond.toFixed(1)}</b> messages a second
      </p>
      <Sparkline values={feed.perSecond} room={60} label={`Messages in each of the last ${seconds} seconds`} />
      <p class="quiet small">
        {feed.perSecond.length === 0
          ? 'Counting begins when this page is opened.'
          : `${count(lastMinute)} in the last ${count(seconds)} s, counted since this page was opened.`}{' '}
        <a href={linkTo(['live'])}>See them live</a>
      </p>
    </section>
  );
}

/** The last few messages, each with a link to its user. */
function Newest({ feed }: { readonly feed: Feed }) {
  if (feed.rows.length === 0) return null;
  return (
    <section class="card" aria-labelledby="newest">
      <h2 id="newest">Newest</h2>
      <ul class="rows">
        {feed.rows.slice(0, 5).map((row) => (
          <li key={row.message_id}>
            <a class="row-button live-row" data-row href={userLink(row)}>
              <Clock at={row.received_at} />
              <span class={`kind ${row.type}`}>{row.event ?? row.type}</span>
              <span class="who">{row.user_id ?? row.anonymous_id}</span>
              <Excerpt value={row.properties ?? row.traits ?? {}} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
