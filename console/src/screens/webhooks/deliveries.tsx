/** What was sent, newest first; a delivery opens to what was answered, and is sent again from there. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { Delivery, Endpoint } from '../../api/types.ts';
import { address, setParameters } from '../../api/address.ts';
import { Select } from '../../parts/choice.tsx';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { ChangeButton, ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { counted } from '../../parts/numbers.ts';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Clock } from '../../parts/time.tsx';
import { Field } from '../../parts/form.tsx';
import { StateMark } from '../job-state.tsx';
import { answerText, type AudienceNames, deliveryState, messageText, nameOf } from './words.ts';

const STATE_CHOICES = { '': 'All', waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' } as const;

const NOTHING_YET = 'Nothing was sent yet. The first message follows when somebody joins or leaves.';
const NONE_LIKE_THESE = 'No such deliveries in the last 7 days.';

interface DeliveriesProps {
  readonly endpoint: Endpoint;
  readonly names: AudienceNames;
  readonly onChange: () => void;
}

export function Deliveries({ endpoint, names, onChange }: DeliveriesProps) {
  const { query } = address.value;
  const state = (['waiting', 'delivered', 'failed'] as const).find((one) => one === query.get('state'));
  const asked = { state, cursor: query.get('cursor') ?? undefined, limit: 50 };
  const request = operation('GET /v1/endpoints/{id}/deliveries', { path: { id: endpoint.id }, query: asked });
  const polled = useAnswer(request, POLL_MS.current);
  const change = (): void => {
    polled.retry();
    onChange();
  };
  return (
    <Section
      id="deliveries"
      title="Deliveries"
      actions={
        <>
          <Select
            label="Show"
            isSearch
            value={state ?? ''}
            options={STATE_CHOICES}
            onChoice={(chosen) => setParameters({ state: chosen, cursor: '' })}
          />
          <ResendSince endpoint={endpoint} onDone={change} />
          <DownloadCsv name={`deliveries ${nameOf(endpoint)}`} of={request} />
        </>
      }
    >
      <Listed
        of={polled}
        what="deliveries"
        rowsOf={({ deliveries }) => deliveries}
        keyOf={({ id }) => id}
        columns={deliveryColumns(names)}
        openBy="open"
        detailsOf={(one) => <DeliveryDetails of={one} endpoint={endpoint} onChange={change} />}
        none={<p class="quiet">{state === undefined ? NOTHING_YET : NONE_LIKE_THESE}</p>}
      />
    </Section>
  );
}

function deliveryColumns(names: AudienceNames): readonly CellColumn<Delivery>[] {
  return [
    { name: 'Time', cell: ({ created_at: at }) => <Clock at={at} /> },
    { name: 'Message', cell: (delivery) => messageText(delivery, names) },
    { name: 'Changes', look: 'number narrow-off', cell: ({ changes }) => counted(changes) },
    { name: 'State', cell: (delivery) => <StateMark {...deliveryState(delivery)} /> },
    { name: 'Answer', look: 'quiet narrow-off', cell: answerText },
  ];
}

interface DetailsProps {
  readonly of: Delivery;
  readonly endpoint: Endpoint;
  readonly onChange: () => void;
}

function DeliveryDetails({ of, endpoint, onChange }: DetailsProps) {
  const path = { id: endpoint.id, delivery: of.id };
  const resend = async (): Promise<void> => {
    await ask(operation('POST /v1/endpoints/{id}/deliveries/{delivery}/resend', { path }));
    tellDone('The message is sent again.');
    onChange();
  };
  const facts = {
    'Message id': <code>{of.id}</code>,
    Attempts: counted(of.attempts),
    Answer: answerText(of) || 'none',
  };
  return (
    <div class="details">
      <Facts of={facts} />
      {of.last_attempt !== null && of.last_attempt.answer !== '' && (
        <pre class="json" tabIndex={0} aria-label="The beginning of the answer">
          {of.last_attempt.answer}
        </pre>
      )}
      {of.type !== 'endpoint.test' && (of.type !== 'user.forgotten' || of.state === 'waiting') && (
        <p class="row">
          <ChangeButton label="Send it again" change={resend} />
        </p>
      )}
    </div>
  );
}

function ResendSince({ endpoint, onDone }: { readonly endpoint: Endpoint; readonly onDone: () => void }) {
  const [since, setSince] = useState(new Date(Date.now() - 86_400_000).toISOString().slice(0, 10));
  const resend = async (): Promise<void> => {
    await ask(operation('POST /v1/endpoints/{id}/resend', { path: { id: endpoint.id }, body: { since } }));
    tellDone('Changes are sent again.');
    onDone();
  };
  return (
    <ConfirmButton label="Send again since…" title="Send changes again?" action="Send again" onConfirm={resend}>
      <p>All changes since this day are sent in new messages, with new ids. The receiver gets them a second time.</p>
      <Field
        label="Since"
        type="date"
        required
        value={since}
        onInput={({ currentTarget }) => setSince(currentTarget.value)}
      />
    </ConfirmButton>
  );
}
