import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AdminProject } from '../../api/types.ts';
import { goTo, linkTo } from '../../frame/router.ts';
import { loadSession } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { submitted } from '../../parts/form.ts';
import { grouped } from '../../parts/numbers.ts';
import { More } from '../../parts/loading/more.tsx';
import { Problem } from '../../parts/loading/states.tsx';
import { Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { usePages } from '../../parts/loading/use-pages.ts';
import { ZoneField } from './zone-field.tsx';

const COLUMNS = [
  { name: 'Project' },
  { name: 'Id', look: 'narrow-off' },
  { name: 'Time zone' },
  { name: 'Requests a second', look: 'number narrow-off' },
  { name: 'Created', look: 'narrow-off' },
];

export function Projects() {
  const [isMaking, setMaking] = useState(false);
  const pages = usePages('projects', async (cursor, signal) => {
    const { projects, next_cursor: next } = await ask({
      ...operation('GET /v1/admin/projects', { query: { cursor } }),
      signal,
    });
    return { items: projects, next };
  });
  return (
    <Section
      id="projects"
      title="Projects"
      actions={
        <>
          {!isMaking && (
            <button type="button" onClick={() => setMaking(true)}>
              New project
            </button>
          )}
          <CopyAs request={operation('GET /v1/admin/projects')} tidemark={['project', 'list']} />
        </>
      }
    >
      {isMaking && <NewProject onCancel={() => setMaking(false)} />}
      {pages.items.length > 0 && (
        <Table columns={COLUMNS}>
          {pages.items.map((project) => (
            <Row key={project.id} project={project} />
          ))}
        </Table>
      )}
      <More pages={pages} what="projects" />
    </Section>
  );
}

function Row({ project }: { readonly project: AdminProject }) {
  const { id, name, timezone, rate_limit: limit, created_at: made } = project;
  return (
    <tr>
      <th scope="row">
        <a class="cover" data-row href={linkTo(['settings', 'projects', id])}>
          {name}
        </a>
      </th>
      <td class="narrow-off">
        <code>{id}</code>
      </td>
      <td>{timezone}</td>
      <td class="number narrow-off">{limit === null ? <span class="quiet">no limit</span> : grouped(limit.rawJSON)}</td>
      <td class="quiet narrow-off">
        <Ago at={made} isPlain />
      </td>
    </tr>
  );
}

function NewProject({ onCancel }: { readonly onCancel: () => void }) {
  const { isBusy, error, run } = useChange();
  const submit = submitted((textOf) => {
    const [name, timezone] = [textOf('name'), textOf('timezone')];
    const body = { name, ...(timezone !== '' && { timezone }) };
    run(async () => {
      const { id } = await ask(operation('POST /v1/admin/projects', { body }));
      await loadSession();
      goTo(linkTo(['settings', 'projects', id]));
    });
  });
  return (
    <form class="card setting-form" aria-label="New project" onSubmit={submit}>
      <label>
        <span class="label">Name</span>
        <input name="name" required maxLength={200} autoFocus autoComplete="off" />
      </label>
      <ZoneField />
      {error !== undefined && <Problem error={error} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Create project
        </button>
        <button type="button" class="plain" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
