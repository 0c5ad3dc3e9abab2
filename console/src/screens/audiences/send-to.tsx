/** Where an audience is sent, how that goes, and what sends it somewhere else. */
import { ask, operation } from '../../api/client.ts';
import type { Endpoint, SavedAudience } from '../../api/types.ts';
import { linkTo, parameter, setParameters } from '../../api/address.ts';
import { Button, Menu } from '../../parts/form.tsx';
import { ChangeButton, tellDone } from '../../parts/loading/change.tsx';
import { type Loaded, POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { Ago } from '../../parts/time.tsx';
import { StateMark } from '../job-state.tsx';
import { NewWebhook } from '../webhooks/form.tsx';
import { endpointState, isSentTo, nameOf } from '../webhooks/words.ts';
import { MembersCsv } from './members.tsx';

export type Webhooks = Loaded<{ readonly endpoints: readonly Endpoint[] }>;

interface SendProps {
  readonly audience: SavedAudience;
  /** Those of the project. */
  readonly webhooks: Webhooks;
}

export function SendTo({ audience, webhooks: { value, retry } }: SendProps) {
  const add = async (webhook: Endpoint): Promise<void> => {
    const { types } = webhook;
    // Without the type, its audiences were of no account.
    const isOfAudiences = types.includes('audience.changed');
    const audiences = [...((isOfAudiences && webhook.audiences) || []), audience.id];
    const body = JSON.stringify({ audiences, ...(!isOfAudiences && { types: [...types, 'audience.changed'] }) });
    await ask(operation('PATCH /v1/endpoints/{id}', { path: { id: webhook.id }, body }));
    tellDone(`Changes are sent to ${nameOf(webhook)} from now on.`);
    retry();
  };
  const others = value?.endpoints.filter((one) => !isSentTo(one, audience.id)) ?? [];
  return (
    // Closed again once what was chosen is to be seen outside of it.
    <Menu key={`${parameter('send')} ${others.length}`} text="Send to…" look="primary" panel="send-to">
      <Button label="A new webhook…" onClick={() => setParameters({ send: 'webhook' }, { push: true })} />
      {others.map((one) => (
        <ChangeButton key={one.id} label={nameOf(one)} change={async () => add(one)} />
      ))}
      <MembersCsv audience={audience} label="A CSV file, now" />
    </Menu>
  );
}

/** The webhooks that get it, and the form of a new one where the address asks for that. */
export function SentTo({ audience, webhooks: { value, retry } }: SendProps) {
  const own = value?.endpoints.filter((one) => isSentTo(one, audience.id));
  return (
    <>
      <NewWebhook
        isOpen={parameter('send') === 'webhook'}
        only={audience}
        onMade={retry}
        onClose={() => setParameters({ send: '' })}
      />
      {own !== undefined && (
        <div class="sent-to row" role="group" aria-label="Sent to">
          <span class="quiet">Sent to</span>
          {own.map((one) => (
            <SentToOne key={one.id} webhook={one} audience={audience.id} />
          ))}
          {own.length === 0 && <span>nowhere yet</span>}
        </div>
      )}
    </>
  );
}

function SentToOne({ webhook, audience }: { readonly webhook: Endpoint; readonly audience: string }) {
  const request = operation('GET /v1/endpoints/{id}/deliveries', {
    path: { id: webhook.id },
    query: { state: 'delivered', limit: 50 },
  });
  const last = useAnswer(request, POLL_MS.idle).value?.deliveries.find((one) => one.audience_id === audience);
  return (
    <span class="row">
      <a href={linkTo(['webhooks', webhook.id])}>{nameOf(webhook)}</a>
      <StateMark {...endpointState(webhook)} />
      {last !== undefined && (
        <span class="quiet">
          last <Ago at={last.created_at} />
        </span>
      )}
    </span>
  );
}
