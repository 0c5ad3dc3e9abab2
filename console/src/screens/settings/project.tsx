/** One project: its settings, its keys, and its end. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { tellDone } from '../../parts/loading/feedback.tsx';
import { goTo, linkTo } from '../../api/address.ts';
import { loadSession } from '../../api/session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Button, Field, textIn } from '../../parts/form.tsx';
import { Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/numbers.ts';
import { Empty, MarkedFields } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/change.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { JoinedIds, KeptEvents, type ProjectProps } from './project-data.tsx';
import { Keys } from './keys.tsx';
import {
  changesOf,
  type Fields,
  fieldsOf,
  type Limit,
  LIMITS,
  TRAIT_LISTS,
  type TraitList,
} from './project-changes.ts';
import { ZoneField } from './projects.tsx';

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
  const { isBusy, error, run } = useChange();
  const [notice, setNotice] = useState<'changed' | 'nothing'>();
  // What was saved, until the page has asked for it again.
  const [saved, setSaved] = useState(project);
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const path = { id: project.id };
    const before = fieldsOf(saved);
    const body = changesOf(before, fieldsIn(event.currentTarget));
    setNotice(body === undefined ? 'nothing' : undefined);
    if (body === undefined) return;
    run(async () => {
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
    });
  };
  return (
    <form class="card setting-form paired" aria-label="Settings of the project" onSubmit={submit}>
      <MarkedFields error={error}>
        <Field label="Name" name="name" required maxLength={200} defaultValue={project.name} />
        <ZoneField value={project.timezone} />
        <MoreFields project={project} />
      </MarkedFields>
      {notice === 'changed' && (
        <p class="notice" role="alert">
          Someone else changed this project. <Button label="Show the new version" onClick={reload} />
        </p>
      )}
      <div class="row">
        <Button label="Save" type="submit" look="primary" disabled={isBusy} />
        {notice === 'nothing' && <span class="quiet">Nothing was changed.</span>}
      </div>
    </form>
  );
}

function fieldsIn(form: HTMLFormElement): Fields {
  const names = ['name', 'timezone', ...Object.keys(TRAIT_LISTS), ...Object.keys(LIMITS)];
  return Object.fromEntries(names.map((name) => [name, textIn(form, name)])) as Fields;
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
