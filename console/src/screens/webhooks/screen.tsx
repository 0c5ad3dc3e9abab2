import { useState } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { Endpoint } from '../../api/types.ts';
import { address, linkTo } from '../../api/address.ts';
import { Button } from '../../parts/form.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { type CellColumn, Listing, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { StateMark } from '../job-state.tsx';
import { NewWebhook } from './form.tsx';
import { type AudienceNames, audiencesText, endpointState, useAudienceNames } from './words.ts';
import { WebhookPage } from './webhook.tsx';

function Webhooks() {
  const [isMaking, setMaking] = useState(false);
  // A project has 20 at most: they are one page.
  const polled = useAnswer(operation('GET /v1/endpoints'), POLL_MS.current);
  const names = useAudienceNames();
  const make = !isMaking && <Button label="New webhook" look="primary" onClick={() => setMaking(true)} />;
  return (
    <ScreenPage
      title="Webhooks"
      beside={<p class="quiet">Who joins and leaves an audience, posted to your URL</p>}
      actions={make}
      copy={{ request: operation('GET /v1/endpoints'), tidemark: ['endpoint', 'list'] }}
    >
      <NewWebhook isOpen={isMaking} names={names} onMade={polled.retry} onClose={() => setMaking(false)} />
      <Ready of={polled} what="webhooks">
        {({ endpoints }) => (
          <Listing
            rows={endpoints}
            keyOf={({ id }) => id}
            columns={webhookColumns(names)}
            none={
              !isMaking && (
                <Empty title="No webhooks yet" action={make}>
                  A webhook tells another service, such as your survey or mail tool, who has just joined or left an
                  audience. Messages are signed, arrive in order and are retried until they are delivered.
                </Empty>
              )
            }
          />
        )}
      </Ready>
    </ScreenPage>
  );
}

function webhookColumns(names: AudienceNames): readonly CellColumn<Endpoint>[] {
  return [
    {
      name: 'Webhook',
      cell: ({ id, url, description }) => (
        <>
          <RowLink link={linkTo(['webhooks', id])}>{description ?? url}</RowLink>
          {description !== null && <span class="quiet small"> {url}</span>}
        </>
      ),
    },
    { name: 'Audiences', look: 'narrow-off', cell: (endpoint) => audiencesText(endpoint, names) },
    { name: 'State', cell: (endpoint) => <StateMark {...endpointState(endpoint)} /> },
    { name: 'Created', look: 'quiet narrow-off', cell: ({ created_at: at }) => <Ago at={at} isPlain /> },
  ];
}

/** `#/webhooks`: where changes of audiences are posted to; `#/webhooks/{id}`: one, with what was sent to it. */
export function WebhooksScreen() {
  const id = address.value.path[1];
  return id === undefined ? <Webhooks /> : <WebhookPage key={id} id={id} />;
}
