import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { Delivery, Endpoint } from '../../api/types.ts';
import { address, goTo, linkTo } from '../../api/address.ts';
import { Button } from '../../parts/form.tsx';
import { Empty, NoSuch, POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Facts, ScreenPage } from '../../parts/page.tsx';
import { type CellColumn, Listing, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { StateMark } from '../job-state.tsx';
import { NewWebhook, WebhookForm } from './form.tsx';
import {
  answerText,
  type AudienceNames,
  audiencesText,
  endpointState,
  nameOf,
  TOPIC_URL,
  typesText,
  useAudienceNames,
} from './words.ts';
import { ChangeButton, ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { NewSecret } from '../../parts/copy-as.tsx';
import { Deliveries } from './deliveries.tsx';

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

const KEEP_OLD = { keep_old_hours: 24 };

/** One webhook: how it is, what can be done with it, and what was sent to it. */
function WebhookPage({ id }: { readonly id: string }) {
  const path = { id };
  const request = operation('GET /v1/endpoints/{id}', { path });
  const polled = useAnswer(request, POLL_MS.current);
  const [isEditing, setEditing] = useState(false);
  const { value } = polled;
  return (
    <ScreenPage
      title={value === undefined ? 'Webhook' : nameOf(value)}
      up={{ path: 'webhooks', name: 'Webhooks' }}
      actions={value !== undefined && <Buttons endpoint={value} onEdit={() => setEditing(true)} />}
      copy={{
        request,
        tidemark: ['endpoint', 'show', id],
        also: { deliveries: operation('GET /v1/endpoints/{id}/deliveries', { path }) },
      }}
    >
      <Ready of={polled} what="the webhook" missing={<NoSuch what="webhook" path="webhooks" />}>
        {(endpoint) => (
          <Webhook
            endpoint={endpoint}
            isEditing={isEditing}
            onChange={() => {
              setEditing(false);
              polled.retry();
            }}
          />
        )}
      </Ready>
    </ScreenPage>
  );
}

function Buttons({ endpoint, onEdit }: { readonly endpoint: Endpoint; readonly onEdit: () => void }) {
  const remove = async (): Promise<void> => {
    await ask(operation('DELETE /v1/endpoints/{id}', { path: { id: endpoint.id } }));
    tellDone('Webhook deleted.');
    goTo(linkTo(['webhooks']));
  };
  return (
    <>
      <Button label="Edit" onClick={onEdit} />
      <ConfirmButton
        label="Delete…"
        title="Delete this webhook?"
        name={nameOf(endpoint)}
        action="Delete the webhook"
        onConfirm={remove}
      >
        <p>Nothing is sent to {endpoint.url} any more. Its deliveries and its secret are deleted for good.</p>
      </ConfirmButton>
    </>
  );
}

interface WebhookProps {
  readonly endpoint: Endpoint;
  readonly isEditing: boolean;
  readonly onChange: () => void;
}

function Webhook({ endpoint, isEditing, onChange }: WebhookProps) {
  const names = useAudienceNames();
  const save = async (body: string): Promise<void> => {
    await ask(operation('PATCH /v1/endpoints/{id}', { path: { id: endpoint.id }, body }));
    tellDone('Webhook saved.');
    onChange();
  };
  const { next_attempt_at: next, waiting_since: since, old_secret_until: old } = endpoint;
  const facts = {
    State: <StateMark {...endpointState(endpoint)} />,
    'Next attempt': next === null ? undefined : <Ago at={next} />,
    'Waiting since': since === null ? undefined : <Ago at={since} />,
    URL: <span class="id">{endpoint.url}</span>,
    Sends: typesText(endpoint),
    Audiences: audiencesText(endpoint, names),
    Traits: endpoint.traits === null ? 'none' : <code>{endpoint.traits}</code>,
    'Old secret signs until': old === null ? undefined : <Ago at={old} />,
  };
  return (
    <>
      {isEditing && <WebhookForm endpoint={endpoint} names={names} action="Save" onSave={save} onClose={onChange} />}
      <Facts of={facts} look="wide-facts" />
      <Steps endpoint={endpoint} onChange={onChange} />
      <Deliveries endpoint={endpoint} names={names} onChange={onChange} />
    </>
  );
}

/** A test, a pause, and another secret. */
function Steps({ endpoint, onChange }: Omit<WebhookProps, 'isEditing'>) {
  const [tested, setTested] = useState<Delivery>();
  const [secret, setSecret] = useState<string>();
  const path = { id: endpoint.id };
  const test = async (): Promise<void> => {
    setTested(await ask(operation('POST /v1/endpoints/{id}/test', { path })));
    onChange();
  };
  const enable = async (): Promise<void> =>
    ask(operation('PATCH /v1/endpoints/{id}', { path, body: { enabled: !endpoint.enabled } })).then(onChange);
  const rotate = async (): Promise<void> => {
    setSecret((await ask(operation('POST /v1/endpoints/{id}/rotate', { path, body: KEEP_OLD }))).secret ?? undefined);
    onChange();
  };
  return (
    <>
      <div class="row settling">
        <ChangeButton label="Send a test" change={test} />
        <ChangeButton label={endpoint.enabled ? 'Pause' : 'Resume'} change={enable} />
        {endpoint.url !== TOPIC_URL && (
          <ConfirmButton label="New secret…" title="Make a new secret?" action="Make it" onConfirm={rotate}>
            <p>
              For 24 hours messages are signed with both secrets, so that you can change the receiver without a gap.
            </p>
          </ConfirmButton>
        )}
        {tested !== undefined && (
          <span class={tested.state === 'delivered' ? 'quiet' : 'field-error'} role="status">
            Test {tested.state === 'delivered' ? 'delivered' : 'failed'}: {answerText(tested)}
          </span>
        )}
      </div>
      {secret !== undefined && (
        <NewSecret
          title="The new secret"
          name={nameOf(endpoint)}
          what="the secret"
          text={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
