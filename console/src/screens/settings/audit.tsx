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

/** What is done, in words. */
const ACTIONS: Readonly<Record<string, string>> = {
  'audience.save': 'Created an audience',
  'audience.change': 'Changed an audience',
  'audience.delete': 'Deleted an audience',
  'project.create': 'Created a project',
  'project.change': 'Changed a project',
  'project.delete': 'Deleted a project',
  'key.create': 'Created a key',
  'key.revoke': 'Revoked a key',
  'generation.build': 'Began a replay',
  'generation.change': 'Changed the rate of a replay',
  'generation.swap': 'Put a replay into use',
  'generation.rollback': 'Went back to the generation before',
  'generation.drop': 'Deleted a generation',
  'dead-letters.edit': 'Corrected a dead letter',
  'dead-letters.replay': 'Replayed dead letters',
  'dead-letters.drop': 'Dropped dead letters',
  'import.start': 'Began an import',
  'import.resume': 'Resumed an import',
  'job.cancel': 'Stopped a job',
};

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
        <select
          data-search
          value={filter.action ?? ''}
          onChange={({ currentTarget }) => setParameters({ action: currentTarget.value }, { push: true })}
        >
          <option value="">Anything</option>
          {Object.entries(ACTIONS).map(([action, words]) => (
            <option key={action} value={action}>
              {words}
            </option>
          ))}
        </select>
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
        <b>{ACTIONS[action] ?? action}</b>
        <span>{principal.name ?? principal.id}</span>
        <span class="quiet">{project !== null && projectName(project)}</span>
        <span class="quiet">{nameIn(entry) ?? object}</span>
      </button>
      {isOpen && <Details entry={entry} />}
    </li>
  );
}

/** What the object is called; undefined where the entry does not say. */
function nameIn({ before, after }: AuditEntry): string | undefined {
  const names = [after, before].map((value) => (value as { readonly name?: unknown } | null)?.name);
  return names.find((name) => typeof name === 'string');
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
