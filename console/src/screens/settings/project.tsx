/** One project: its settings, its keys, and its end. */
import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AdminProject } from '../../api/types.ts';
import { goTo, linkTo } from '../../frame/router.ts';
import { loadSession } from '../../frame/session.ts';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { textIn } from '../../parts/form.ts';
import { grouped } from '../../parts/numbers.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { useAnswer, useLoad } from '../../parts/loading/use-load.ts';
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
import { ZoneField } from './zone-field.tsx';

export function ProjectPage({ id }: { readonly id: string }) {
  const project = useAnswer(operation('GET /v1/admin/projects/{id}', { path: { id } }));
  return (
    <>
      <p class="up">
        <a href={linkTo(['settings', 'projects'])}>Projects</a>
      </p>
      {project.state === 'loading' && <Loading what="the project" />}
      {project.state === 'failed' && <NotShown error={project.error} retry={project.retry} />}
      {project.state === 'ready' && (
        <>
          <h2 class="project-name">{project.value.name}</h2>
          <p class="quiet id">{id}</p>
          <SettingsForm project={project.value} reload={project.retry} />
          <Keys project={id} />
          <Deletion id={id} name={project.value.name} />
        </>
      )}
    </>
  );
}

function NotShown({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  return error.status === 404 ? <Empty title="There is no such project" /> : <Problem error={error} retry={retry} />;
}

interface FormProps {
  readonly project: AdminProject;
  readonly reload: () => void;
}

function SettingsForm({ project, reload }: FormProps) {
  const { isBusy, error, run } = useChange();
  const [notice, setNotice] = useState<'changed' | 'nothing'>();
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const path = { id: project.id };
    const before = fieldsOf(project);
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
      await ask(operation('PATCH /v1/admin/projects/{id}', { path, body }));
      await loadSession();
      reload();
    });
  };
  return (
    <form class="card setting-form paired" aria-label="Settings of the project" onSubmit={submit}>
      <label>
        <span class="label">Name</span>
        <input name="name" required maxLength={200} defaultValue={project.name} autoComplete="off" />
      </label>
      <ZoneField value={project.timezone} />
      <MoreFields project={project} />
      {error !== undefined && <Problem error={error} />}
      {notice === 'changed' && (
        <p class="notice" role="alert">
          Somebody else changed this project meanwhile.{' '}
          <button type="button" onClick={reload}>
            Show it as it is
          </button>
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Save
        </button>
        {notice === 'nothing' && <span class="quiet">Nothing was changed.</span>}
      </div>
    </form>
  );
}

function fieldsIn(form: HTMLFormElement): Fields {
  const names = ['name', 'timezone', ...Object.keys(TRAIT_LISTS), ...Object.keys(LIMITS)];
  return Object.fromEntries(names.map((name) => [name, textIn(form, name)])) as Fields;
}

function MoreFields({ project }: Pick<FormProps, 'project'>) {
  const fields = fieldsOf(project);
  return (
    <>
      {(Object.keys(TRAIT_LISTS) as TraitList[]).map((name) => (
        <TraitsField key={name} name={name} value={fields[name]} />
      ))}
      {(Object.keys(LIMITS) as Limit[]).map((name) => (
        <LimitField key={name} name={name} value={fields[name]} />
      ))}
    </>
  );
}

function TraitsField({ name, value }: { readonly name: TraitList; readonly value: string }) {
  return (
    <label>
      <span class="label">{TRAIT_LISTS[name]}</span>
      <input name={name} defaultValue={value} placeholder="none" autoComplete="off" />
    </label>
  );
}

function LimitField({ name, value }: { readonly name: Limit; readonly value: string }) {
  return (
    <label>
      <span class="label">{LIMITS[name]}</span>
      <input name={name} inputMode="numeric" defaultValue={value} placeholder={LIMIT_NONE[name]} autoComplete="off" />
    </label>
  );
}

const LIMIT_NONE = {
  rate_limit: 'no limit',
  rate_limit_bytes: 'no limit',
  query_max_ms: 'as the service is configured',
  query_max_memory_bytes: 'as the service is configured',
  query_max_rows: 'as the service is configured',
} as const satisfies Record<Limit, string>;

function Deletion({ id, name }: { readonly id: string; readonly name: string }) {
  const [isAsked, setAsked] = useState(false);
  const content = useLoad(isAsked ? id : '', async (signal) => {
    if (!isAsked) return undefined;
    const asked = operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { dry_run: 'true' } });
    const answer = await ask({ ...asked, signal });
    return 'content' in answer ? answer.content : undefined;
  });
  const remove = async (): Promise<void> => {
    await ask(operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { confirm: name } }));
    await loadSession();
    goTo(linkTo(['settings', 'projects']));
  };
  return (
    <section class="deletion" aria-labelledby="deletion">
      <h2 id="deletion">Delete the project</h2>
      <p class="quiet">With its keys, audiences and users, and all that was recorded of them.</p>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && content.state === 'loading' && <Loading what="what the project has" />}
      {isAsked && content.state === 'failed' && <Problem error={content.error} retry={content.retry} />}
      {isAsked && content.state === 'ready' && content.value !== undefined && (
        <ConfirmName
          title="Delete this project?"
          name={name}
          action="Delete the project"
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <dl class="content">
            {(['users', 'audiences', 'keys'] as const).map((what) => (
              <div key={what}>
                <dt>{what === 'keys' ? 'keys in use' : what}</dt>
                <dd>{grouped(content.value?.[what].rawJSON ?? '')}</dd>
              </div>
            ))}
          </dl>
          <p>All of it is deleted, and cannot be brought back. Its keys stop working within ten seconds.</p>
        </ConfirmName>
      )}
    </section>
  );
}
