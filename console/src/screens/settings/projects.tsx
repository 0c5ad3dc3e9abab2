import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { AdminProject } from '../../api/types.ts';
import { goTo, linkTo, parameter } from '../../api/address.ts';
import { loadSession } from '../../api/session.ts';
import { Form } from '../../parts/loading/change.tsx';
import { Button, Field } from '../../parts/form.tsx';
import { grouped } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { type CellColumn, Listed, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';

const PROJECT_COLUMNS: readonly CellColumn<AdminProject>[] = [
  { name: 'Project', cell: ({ id, name }) => <RowLink link={linkTo(['settings', 'projects', id])}>{name}</RowLink> },
  { name: 'Id', look: 'narrow-off', cell: ({ id }) => <code>{id}</code> },
  { name: 'Time zone', cell: ({ timezone }) => timezone },
  {
    name: 'Requests a second',
    look: 'number narrow-off',
    cell: ({ rate_limit: limit }) => (limit === null ? <span class="quiet">no limit</span> : grouped(limit.rawJSON)),
  },
  { name: 'Created', look: 'quiet narrow-off', cell: ({ created_at: at }) => <Ago at={at} isPlain /> },
];

export function Projects() {
  const [isMaking, setMaking] = useState(false);
  const loaded = useAnswer(operation('GET /v1/admin/projects', { query: { cursor: parameter('cursor') } }));
  return (
    <Section
      id="projects"
      title="Projects"
      actions={!isMaking && <Button label="New project" onClick={() => setMaking(true)} />}
      copy={{ request: operation('GET /v1/admin/projects'), tidemark: ['project', 'list'] }}
    >
      {isMaking && <NewProject onCancel={() => setMaking(false)} />}
      <Listed
        of={loaded}
        what="projects"
        rowsOf={({ projects }) => projects}
        keyOf={({ id }) => id}
        columns={PROJECT_COLUMNS}
      />
    </Section>
  );
}

function NewProject({ onCancel }: { readonly onCancel: () => void }) {
  const create = async (textOf: (name: string) => string): Promise<void> => {
    const [name, timezone] = [textOf('name'), textOf('timezone')];
    const body = { name, ...(timezone !== '' && { timezone }) };
    const { id } = await ask(operation('POST /v1/admin/projects', { body }));
    await loadSession();
    goTo(linkTo(['settings', 'projects', id]));
  };
  return (
    <Form label="New project" look="card setting-form" action="Create project" onSend={create} onCancel={onCancel}>
      <Field label="Name" name="name" required maxLength={200} isFirst />
      <ZoneField />
    </Form>
  );
}

/** A time zone by its IANA name, with those that this browser knows as suggestions; empty is the service's own. */
export function ZoneField({ value = '' }: { readonly value?: string }) {
  return (
    <Field
      label="Time zone"
      name="timezone"
      suggestions={['UTC', ...Intl.supportedValuesOf('timeZone')]}
      maxLength={100}
      defaultValue={value}
      placeholder="Europe/Berlin"
      spellcheck={false}
    />
  );
}
