/** The audit log, newest first; an entry opens to what it changed. */
import type { TargetedEvent } from 'preact';
import { ask } from '../../api/client.ts';
import { operation, type Query } from '../../../../schemas/operations.ts';
import type { AuditEntry } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { projectName, session } from '../../frame/session.ts';
import { Facts } from '../../parts/facts.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { JsonDiff } from '../../parts/json/json-diff.tsx';
import { More } from '../../parts/loading/more.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { Clock, exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { usePages } from '../../parts/loading/use-pages.ts';
import { useEscape } from '../../parts/loading/use-rows.ts';

const ACTIONS = [
  'audience.save',
  'audience.change',
  'audience.delete',
  'project.create',
  'project.change',
  'project.delete',
  'key.create',
  'key.revoke',
  'generation.build',
  'generation.change',
  'generation.swap',
  'generation.rollback',
  'generation.drop',
  'dead-letters.replay',
  'dead-letters.drop',
  'job.cancel',
];

type FilterName = 'action' | 'of_project' | 'principal' | 'since' | 'until';
type Filter = Readonly<Record<FilterName, string | undefined>>;

export function Audit() {
  const { query } = address.value;
  const names: readonly FilterName[] = ['action', 'of_project', 'principal', 'since', 'until'];
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined])) as Filter;
  // In the address, `project` is the one that the whole console looks at.
  const { of_project: project, ...rest } = filter;
  const asked = { ...rest, project };
  return (
    <>
      <div class="section-head">
        <h2>Audit log</h2>
        <CopyAs request={operation('GET /v1/admin/audit', { query: asked })} />
      </div>
      <Filters filter={filter} />
      <Entries asked={asked} />
    </>
  );
}

function Filters({ filter }: { readonly filter: Filter }) {
  const fieldOf = (name: FilterName) => ({
    key: filter[name] ?? '',
    defaultValue: filter[name] ?? '',
    onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      setParameters({ [name]: currentTarget.value.trim() }, { push: true }),
  });
  return (
    <form class="filters audit-filters" role="search" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="label">What was done</span>
        <input type="search" list="audit-actions" maxLength={512} data-search {...fieldOf('action')} />
        <datalist id="audit-actions">
          {ACTIONS.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
      </label>
      <label>
        <span class="label">In the project</span>
        <ProjectFilter value={filter.of_project} />
      </label>
      <label>
        <span class="label">By whom</span>
        <input type="search" maxLength={512} placeholder="key, or local" {...fieldOf('principal')} />
      </label>
      <label>
        <span class="label">Since</span>
        <input type="date" {...fieldOf('since')} />
      </label>
      <label>
        <span class="label">Before</span>
        <input type="date" {...fieldOf('until')} />
      </label>
    </form>
  );
}

function ProjectFilter({ value }: { readonly value: string | undefined }) {
  const projects = typeof session.value === 'object' ? session.value.projects : [];
  return (
    <select
      value={value ?? ''}
      onChange={({ currentTarget }) => setParameters({ of_project: currentTarget.value }, { push: true })}
    >
      <option value="">All</option>
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Entries({ asked }: { readonly asked: Query<'GET /v1/admin/audit'> }) {
  const pages = usePages(JSON.stringify(asked), async (cursor, signal) => {
    const page = await ask({ ...operation('GET /v1/admin/audit', { query: { ...asked, cursor } }), signal });
    return { items: page.entries, next: page.next_cursor };
  });
  const { items, isEnd } = pages;
  const open = address.value.query.get('open');
  useEscape(() => setParameters({ open: '' }));
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  return (
    <>
      {items.length > 0 && (
        <ul class="rows" aria-label="Changes, newest first">
          {items.map((entry) => (
            <Entry key={entry.id} entry={entry} isOpen={entry.id === open} />
          ))}
        </ul>
      )}
      <More pages={pages} what="the audit log" />
      {isEnd && items.length > 0 && (
        <p class="quiet below">There are no earlier changes{isFiltered && ' like these'}.</p>
      )}
      {isEnd && items.length === 0 && (
        <Empty title={isFiltered ? 'No such change' : 'Nothing was changed yet'}>
          <p>Changes of projects, keys, audiences and everything that an operator does are listed here, for good.</p>
        </Empty>
      )}
    </>
  );
}

function Entry({ entry, isOpen }: { readonly entry: AuditEntry; readonly isOpen: boolean }) {
  const { id, at, action, principal, project, object } = entry;
  return (
    <li>
      <button
        type="button"
        class="row-button audit-row"
        data-row
        aria-expanded={isOpen}
        onClick={() => setParameters({ open: isOpen ? '' : id })}
      >
        <Clock at={at} />
        <b>{action}</b>
        <span>{principal.name ?? principal.id}</span>
        <span class="quiet">{project !== null && projectName(project)}</span>
        <span class="who quiet">{object}</span>
      </button>
      {isOpen && <Details entry={entry} />}
    </li>
  );
}

function Details({ entry }: { readonly entry: AuditEntry }) {
  const { at, principal, source, object, request_id: request, before, after } = entry;
  const facts = {
    When: exactTime(at, zoneOf(zoneChoice.value)),
    'By whom': principal.name === null ? principal.id : `${principal.name} (${principal.id})`,
    'From where': source ?? 'the machine of the service',
    What: object,
    ...(request !== null && { Request: request }),
  };
  return (
    <div class="details">
      <Facts of={facts} />
      {(before !== null || after !== null) && <JsonDiff before={before} after={after} />}
    </div>
  );
}
