/** On a project that is new: how to send the first event, and what comes of it. */
import { SERVICE } from '../../api/client.ts';
import type { LiveRow } from '../../api/types.ts';
import { linkTo } from '../../frame/router.ts';
import { Command } from '../../parts/copy-as.tsx';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { Clock } from '../../parts/time.tsx';
import { userLink } from '../user-link.ts';

/** The first curl, and what comes of it. */
interface FirstEventProps {
  readonly first: LiveRow | undefined;
  readonly isListening: boolean;
}

export function FirstEvent({ first, isListening }: FirstEventProps) {
  return (
    <section class="card first" aria-labelledby="first">
      <h2 id="first">Send the first event</h2>
      <p>
        Put a key with the scope <code>write</code> into <code>TIDEMARK_WRITE_KEY</code> and run this in a terminal:
      </p>
      <Command name="curl" text={FIRST_CURL} />
      {first === undefined ? (
        <p class="status" role="status">
          <i class={isListening ? 'dot alive' : 'dot'} aria-hidden="true" />
          {isListening ? 'Listening…' : 'Connecting…'}
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
