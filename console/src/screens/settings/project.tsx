/** One project: its settings, its keys, and its end. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { goTo, linkTo, parameter } from '../../api/address.ts';
import { loadSession } from '../../api/session.ts';
import { Button, Field } from '../../parts/form.tsx';
import { counted, grouped } from '../../parts/numbers.ts';
import { ConfirmButton, Form, tellDone } from '../../parts/loading/change.tsx';
import { Empty, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { JoinedIds, KeptEvents, type ProjectProps } from './project-data.tsx';
import { Keys } from './keys.tsx';
import { changesOf, fieldsBy, fieldsOf, type Limit, LIMITS, TRAIT_LISTS, type TraitList } from './project-changes.ts';
import type { AdminProject } from '../../api/types.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { type CellColumn, Listed, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';

export function ProjectPage({ id }: { readonly id: string }) {
  const project = useAnswer(operation('GET /v1/admin/projects/{id}', { path: { id } }));
  return (
    <>
      <p class="up">
        <a href={linkTo(['settings', 'projects'])}>Projects</a>
      </p>
      <Ready of={project} what="the project" missing={<Empty title="There is no such project" />}>
        {(found) => (
          <>
            <h2 class="project-name">{found.name}</h2>
            <p class="quiet id text">{id}</p>
            <SettingsForm key={JSON.stringify(found)} project={found} reload={project.retry} />
            <Keys project={id} />
            <KeptEvents project={found} reload={project.retry} />
            <JoinedIds project={found} reload={project.retry} />
            <Deletion id={id} name={found.name} />
          </>
        )}
      </Ready>
    </>
  );
}

function SettingsForm({ project, reload }: ProjectProps) {
  const [notice, setNotice] = useState<'changed' | 'nothing'>();
  // What was saved, until the page has asked for it again.
  const [saved, setSaved] = useState(project);
  const save = async (textOf: (name: string) => string): Promise<void> => {
    const path = { id: project.id };
    const before = fieldsOf(saved);
    const body = changesOf(before, fieldsBy(textOf));
    setNotice(body === undefined ? 'nothing' : undefined);
    if (body === undefined) return;
    // The interface has no versions of projects: what somebody else changed meanwhile is seen here.
    const now = fieldsOf(await ask(operation('GET /v1/admin/projects/{id}', { path })));
    if (changesOf(before, now) !== undefined) {
      setNotice('changed');
      return;
    }
    setSaved(await ask(operation('PATCH /v1/admin/projects/{id}', { path, body })));
    await loadSession();
    tellDone('Project saved.');
    reload();
  };
  return (
    <Form
      label="Settings of the project"
      look="card setting-form paired"
      action="Save"
      onSend={save}
      note={notice === 'nothing' && <span class="quiet">Nothing was changed.</span>}
    >
      <Field label="Name" name="name" required maxLength={200} defaultValue={project.name} />
      <ZoneField value={project.timezone} />
      <MoreFields project={project} />
      {notice === 'changed' && (
        <p class="notice" role="alert">
          Someone else changed this project. <Button label="Show the new version" onClick={reload} />
        </p>
      )}
    </Form>
  );
}

function MoreFields({ project }: Pick<ProjectProps, 'project'>) {
  const fields = fieldsOf(project);
  return (
    <>
      {(Object.keys(TRAIT_LISTS) as TraitList[]).map((name) => (
        <Field label={TRAIT_LISTS[name]} key={name} name={name} defaultValue={fields[name]} placeholder="none" />
      ))}
      <details>
        <summary>Limits</summary>
        <div class="paired below">
          {(Object.keys(LIMITS) as Limit[]).map((name) => (
            <Field
              label={LIMITS[name]}
              key={name}
              name={name}
              inputMode="numeric"
              defaultValue={fields[name]}
              placeholder={name.startsWith('rate_') ? 'no limit' : 'as the service is configured'}
            />
          ))}
        </div>
      </details>
    </>
  );
}

function Deletion({ id, name }: { readonly id: string; readonly name: string }) {
  const remove = async (): Promise<void> => {
    await ask(operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { confirm: name } }));
    await loadSession();
    tellDone('Project deleted.');
    goTo(linkTo(['settings', 'projects']));
  };
  return (
    <section class="deletion" aria-labelledby="deletion">
      <h2 id="deletion">Delete the project</h2>
      <p class="quiet">With its keys, audiences, users and everything recorded about them.</p>
      <ConfirmButton
        label="Delete…"
        look="danger"
        title="Delete this project?"
        name={name}
        action="Delete the project"
        onConfirm={remove}
      >
        <ProjectContent id={id} />
        <p>Everything is deleted for good. Its keys stop working within ten seconds.</p>
      </ConfirmButton>
    </section>
  );
}

/** How much a project has. */
function ProjectContent({ id }: { readonly id: string }) {
  const asked = operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { dry_run: 'true' } });
  return (
    <Ready of={useAnswer(asked)} what="what the project has">
      {(answer) => {
        if (!('content' in answer)) return null;
        const { users, audiences, keys } = answer.content;
        const facts = { users: counted(users), audiences: counted(audiences), 'keys in use': counted(keys) };
        return <Facts look="figures" of={facts} />;
      }}
    </Ready>
  );
}

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
  return (
    <Section
      id="projects"
      title="Projects"
      actions={!isMaking && <Button label="New project" onClick={() => setMaking(true)} />}
      copy={{ request: operation('GET /v1/admin/projects'), tidemark: ['project', 'list'] }}
    >
      {isMaking && <NewProject onCancel={() => setMaking(false)} />}
      <Listed
        of={useAnswer(operation('GET /v1/admin/projects', { query: { cursor: parameter('cursor') } }))}
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
function ZoneField({ value = '' }: { readonly value?: string }) {
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
