/** The audit log, newest first; an entry opens to what it changed. */
import type { TargetedEvent } from 'preact';
import { ask } from '../../api/client.ts';
import { operation, type Query } from '../../../../schemas/operations.ts';
import type { AuditEntry } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { projectName, session } from '../../frame/session.ts';
import { Facts } from '../../parts/facts.tsx';
import { Choice } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { JsonDiff } from '../../parts/json/json-diff.tsx';
import { More } from '../../parts/loading/more.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { Section } from '../../parts/page.tsx';
import { type CellColumn, Listing, RowButton } from '../../parts/table.tsx';
import { Clock, exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { usePages } from '../../parts/loading/use-pages.ts';
import { useEscape } from '../../parts/loading/use-escape.ts';

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
    <Section
      id="audit"
      title="Audit log"
      actions={<CopyAs request={operation('GET /v1/admin/audit', { query: asked })} />}
    >
      <Filters filter={filter} />
      <Entries asked={asked} />
    </Section>
  );
}

function narrow(changes: Partial<Filter>): void {
  setParameters(changes, { push: true });
}

function Filters({ filter }: { readonly filter: Filter }) {
  const fieldOf = (name: FilterName) => ({
    key: filter[name] ?? '',
    defaultValue: filter[name] ?? '',
    onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => narrow({ [name]: currentTarget.value.trim() }),
  });
  const projects = typeof session.value === 'object' ? session.value.projects : [];
  return (
    <form class="filters" role="search" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Action"
        isSearch
        value={filter.action ?? ''}
        options={{ '': 'All', ...ACTIONS }}
        onChoice={(action) => narrow({ action })}
      />
      <Choice
        label="Project"
        value={filter.of_project ?? ''}
        options={[['', 'All'], ...projects.map(({ id, name }) => [id, name] as const)]}
        onChoice={(id) => narrow({ of_project: id })}
      />
      <label>
        <span class="label">By</span>
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

function Entries({ asked }: { readonly asked: Query<'GET /v1/admin/audit'> }) {
  const pages = usePages(JSON.stringify(asked), async (cursor, signal) => {
    const page = await ask({ ...operation('GET /v1/admin/audit', { query: { ...asked, cursor } }), signal });
    return { items: page.entries, next: page.next_cursor };
  });
  const { items } = pages;
  useEscape(() => setParameters({ open: '' }));
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  return (
    <>
      {items.length > 0 && (
        <Listing
          rows={items}
          keyOf={({ id }) => id}
          columns={COLUMNS}
          detailsOf={(entry) => entry.id === openEntry() && <Details entry={entry} />}
        />
      )}
      <More
        pages={pages}
        what="the audit log"
        end={`There are no earlier changes${isFiltered ? ' like these' : ''}.`}
        none={
          <Empty title={isFiltered ? 'No such change' : 'Nothing was changed yet'}>
            Changes to projects, keys and audiences, and everything operators do, are kept here for good.
          </Empty>
        }
      />
    </>
  );
}

/** The id of the entry that the address has open. */
function openEntry(): string {
  return address.value.query.get('open') ?? '';
}

const COLUMNS: readonly CellColumn<AuditEntry>[] = [
  {
    name: 'Action',
    cell: ({ id, action }) => (
      <RowButton isOpen={id === openEntry()} onToggle={() => setParameters({ open: id === openEntry() ? '' : id })}>
        <b>{ACTIONS[action] ?? action}</b>
      </RowButton>
    ),
  },
  { name: 'Object', look: 'quiet', cell: (entry) => nameIn(entry) ?? entry.object },
  { name: 'By', look: 'narrow-off', cell: ({ principal }) => principal.name ?? principal.id },
  { name: 'Project', look: 'quiet narrow-off', cell: ({ project }) => project !== null && projectName(project) },
  { name: 'Time', cell: ({ at }) => <Clock at={at} /> },
];

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
