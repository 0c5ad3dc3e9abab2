/** For how many months a project keeps events, and what goes where that is changed. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { AdminProject, OldEvents } from '../../api/types.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DocsLink } from '../../parts/docs-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Field } from '../../parts/form.tsx';
import { tellDone } from '../../parts/loading/feedback.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { bytes as bytesText, counted } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';

interface KeptEventsProps {
  readonly project: AdminProject;
  readonly reload: () => void;
}

export function KeptEvents({ project, reload }: KeptEventsProps) {
  const { keep_events: kept } = project;
  return (
    <Section id="kept-events" title="Kept events" actions={<MonthsButton project={project} reload={reload} />}>
      <p class="quiet small text">
        {kept === null ? 'Events are kept for ever.' : `Events are kept for ${Number.parseInt(kept, 10)} months.`}{' '}
        Profiles and the log keep what they have. <DocsLink path="docs/retention.md">What goes</DocsLink>
      </p>
    </Section>
  );
}

const MONTHS = /^[1-9]\d{0,2}$/;

function MonthsButton({ project: { id, name, keep_events: kept }, reload }: KeptEventsProps) {
  const [months, setMonths] = useState(kept === null ? '' : String(Number.parseInt(kept, 10)));
  const keep = MONTHS.test(months) ? `${months}mo` : null;
  const change = async (): Promise<void> => {
    await ask(operation('PATCH /v1/admin/projects/{id}', { path: { id }, body: { keep_events: keep } }));
    tellDone(keep === null ? 'Events are kept for ever.' : 'A job deletes older events within a minute.');
    reload();
  };
  return (
    <ConfirmButton
      label="Change…"
      ariaLabel="Change how long events are kept"
      title="How long are events kept?"
      name={name}
      action={keep === null ? 'Keep all events' : 'Delete older events'}
      onConfirm={change}
    >
      <Field
        label="Months (empty: for ever)"
        name="months"
        isFirst
        inputMode="numeric"
        pattern="[1-9][0-9]{0,2}"
        title="A whole number from 1 to 999"
        defaultValue={months}
        onInput={({ currentTarget }) => setMonths(currentTarget.value.trim())}
      />
      {keep !== null && <WhatGoes id={id} keep={keep} />}
    </ConfirmButton>
  );
}

function WhatGoes({ id, keep }: { readonly id: string; readonly keep: string }) {
  const request = operation('GET /v1/admin/projects/{id}/old-events', { path: { id }, query: { keep_events: keep } });
  return (
    <Ready of={useAnswer(request)} what="what goes">
      {(found) => (
        <>
          <p>Events before {found.first_day} are deleted for good:</p>
          <Facts of={factsOf(found)} look="figures narrow" />
          {found.audiences.length > 0 && (
            <p class="small">Audiences that look further back: {found.audiences.map(({ name }) => name).join(', ')}</p>
          )}
        </>
      )}
    </Ready>
  );
}

function factsOf({ events, users, bytes }: OldEvents) {
  return { Events: counted(events), Users: counted(users), Disk: bytesText(bytes) };
}
