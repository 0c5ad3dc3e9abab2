/** Erasing events by a condition: how many there are and which, and then for good. */
import { useState } from 'preact/hooks';
import type { Body } from '../../../../schemas/operations.ts';
import { ask, operation } from '../../api/client.ts';
import type { Answer } from '../../api/types.ts';
import { countOf, isList, jsonText, parseJson } from '../../api/json.ts';
import { project } from '../../api/session.ts';
import { ConfirmButton, Form, tellDone } from '../../parts/loading/change.tsx';
import { Field } from '../../parts/form.tsx';
import { count } from '../../parts/numbers.ts';
import { DocsLink, Section } from '../../parts/page.tsx';
import { type CellColumn, ShortListing } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';

type ErasureBody = Body<'POST /v1/admin/event-erasures'>;
type Plan = Extract<Answer<'POST /v1/admin/event-erasures'>, { readonly examples: unknown }>;
type Example = Plan['examples'][number];

const COLUMNS: readonly CellColumn<Example>[] = [
  { name: 'Event', cell: ({ event }) => event },
  { name: 'User', cell: ({ user_id: user, internal_id: id }) => user ?? <code>{id.slice(0, 12)}…</code> },
  { name: 'Time', cell: ({ timestamp }) => <Ago at={timestamp} isPlain /> },
  { name: 'Properties', cell: ({ properties }) => <code>{jsonText(properties)}</code> },
];

export function EraseEvents({ onErased }: { readonly onErased: () => void }) {
  const [looked, setLooked] = useState<{ readonly condition: ErasureBody; readonly plan: Plan }>();
  const look = async (textOf: (name: string) => string): Promise<void> => {
    setLooked(undefined);
    const condition = conditionOf(textOf);
    const plan = (await ask(operation('POST /v1/admin/event-erasures', { body: condition }))) as Plan;
    setLooked({ condition, plan });
  };
  const erase = async (): Promise<void> => {
    if (looked === undefined) return;
    const body = { ...looked.condition, count: countOf(looked.plan.count) };
    await ask(operation('POST /v1/admin/event-erasures', { body }));
    setLooked(undefined);
    tellDone('No question counts them any more. A job deletes what there is.');
    onErased();
  };
  return (
    <Section id="erase-events" title="Erase events">
      <p class="quiet small text">
        Bad data, or a secret that was sent by mistake. The users stay.{' '}
        <DocsLink path="docs/erase-events.md">What is erased, and what remains</DocsLink>
      </p>
      <Form label="Events to erase" action="Look at them" onSend={look}>
        <Field label="Name of the event" name="name" />
        <Field label="Conditions on properties, as JSON" name="where" placeholder='[{"property": "note", "is": "x"}]' />
        <Field label="From" name="from" placeholder="2026-11-24" />
        <Field label="To" name="to" placeholder="2026-11-25" />
        <Field label="User id" name="user" />
      </Form>
      {looked !== undefined && <WhatIsErased plan={looked.plan} onErase={erase} />}
    </Section>
  );
}

function conditionOf(textOf: (name: string) => string): ErasureBody {
  const [name, where, from, to, user] = ['name', 'where', 'from', 'to', 'user'].map(textOf);
  return {
    project: project.value?.id ?? '',
    ...(name && { name }),
    ...(where && { where: conditionsIn(where) }),
    ...((from || to) && { between: [from ?? '', to ?? ''] }),
    ...(user && { user_id: user }),
  };
}

/** What is no list of conditions goes to the service as it is, which says so. */
function conditionsIn(text: string): NonNullable<ErasureBody['where']> {
  try {
    const read = parseJson(text);
    return (isList(read) ? read : [read]) as unknown as NonNullable<ErasureBody['where']>;
  } catch {
    return [text] as unknown as NonNullable<ErasureBody['where']>;
  }
}

function WhatIsErased({ plan, onErase }: { readonly plan: Plan; readonly onErase: () => Promise<void> }) {
  const events = countOf(plan.count);
  if (events === 0) return <p>No event is like that.</p>;
  return (
    <>
      <p>
        Events: <b>{count(events)}</b>. The newest:
      </p>
      <ShortListing rows={plan.examples} keyOf={(one) => `${one.internal_id} ${one.message_id}`} columns={COLUMNS} />
      <ConfirmButton
        label="Erase…"
        title={`Erase ${count(events)} events?`}
        name={String(events)}
        action="Erase for good"
        onConfirm={onErase}
      >
        <p>They are gone from every answer, from the files and from the log, and cannot be brought back.</p>
      </ConfirmButton>
    </>
  );
}
