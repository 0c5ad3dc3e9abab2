/** The audit log, newest first; an entry opens to what it changed. */
import { operation, type Query } from '../../api/client.ts';
import type { AuditEntry } from '../../api/types.ts';
import { address, parameter, setParameters } from '../../api/address.ts';
import { projectName, projects } from '../../api/session.ts';
import { Facts } from '../../parts/facts.tsx';
import { Choice, FilterField, Filters } from '../../parts/choice.tsx';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { JsonDiff } from '../../parts/json/json-diff.tsx';
import { KeyName, OTHERS, useKeyNames } from '../key-name.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { type CellColumn, isOpenRow, Listed, OpenRow, useOpenRow } from '../../parts/table.tsx';
import { Section } from '../../parts/page.tsx';
import { Clock, exactTime } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { ACTIONS } from './audit-actions.ts';

type FilterName = 'action' | 'of_project' | 'principal' | 'since' | 'until';
type AuditFilter = Readonly<Record<FilterName, string | undefined>>;

export function Audit() {
  const { query } = address.value;
  const names: readonly FilterName[] = ['action', 'of_project', 'principal', 'since', 'until'];
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined])) as AuditFilter;
  // In the address, `project` is the one that the whole console looks at.
  const { of_project: project, ...rest } = filter;
  const asked = { ...rest, project };
  const request = operation('GET /v1/admin/audit', { query: asked });
  return (
    <Section id="audit" title="Audit log" actions={<DownloadCsv name="audit log" of={request} />} copy={{ request }}>
      <AuditFilters filter={filter} />
      <Entries asked={asked} />
    </Section>
  );
}

function narrow(changes: Partial<AuditFilter>): void {
  setParameters({ cursor: '', ...changes }, { push: true });
}

function AuditFilters({ filter }: { readonly filter: AuditFilter }) {
  const names = useKeyNames();
  return (
    <Filters>
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
        options={[['', 'All'], ...projects.value.map(({ id, name }) => [id, name] as const)]}
        onChoice={(id) => narrow({ of_project: id })}
      />
      <Choice
        label="By"
        value={filter.principal ?? ''}
        options={[['', 'Anybody'], ...Object.entries(OTHERS), ...names]}
        onChoice={(principal) => narrow({ principal })}
      />
      <FilterField name="since" label="Since" type="date" />
      <FilterField name="until" label="Before" type="date" />
    </Filters>
  );
}

function Entries({ asked }: { readonly asked: Query<'GET /v1/admin/audit'> }) {
  const cursor = parameter('cursor');
  const loaded = useAnswer(operation('GET /v1/admin/audit', { query: { ...asked, cursor } }));
  useOpenRow();
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  return (
    <Listed
      of={loaded}
      what="the audit log"
      rowsOf={({ entries }) => entries}
      keyOf={({ id }) => id}
      columns={ENTRY_COLUMNS}
      detailsOf={(entry) => isOpenRow(entry.id) && <EntryDetails entry={entry} />}
      none={
        <Empty title={isFiltered ? 'No such change' : 'No changes yet'}>
          Changes to projects, keys and audiences, and everything operators do, are kept here for good.
        </Empty>
      }
    />
  );
}

const ENTRY_COLUMNS: readonly CellColumn<AuditEntry>[] = [
  {
    name: 'Action',
    cell: ({ id, action }) => (
      <OpenRow id={id}>
        <b>{ACTIONS[action] ?? action}</b>
      </OpenRow>
    ),
  },
  { name: 'Object', look: 'quiet', cell: (entry) => nameIn(entry) ?? entry.object },
  { name: 'By', look: 'narrow-off', cell: ({ principal }) => <KeyName {...principal} /> },
  { name: 'Project', look: 'quiet narrow-off', cell: ({ project }) => project !== null && projectName(project) },
  { name: 'Time', cell: ({ at }) => <Clock at={at} /> },
];

/** What the object is called; undefined where the entry does not say. */
function nameIn({ before, after }: AuditEntry): string | undefined {
  const names = [after, before].map((value) => (value as { readonly name?: unknown } | null)?.name);
  return names.find((name) => typeof name === 'string');
}

function EntryDetails({ entry }: { readonly entry: AuditEntry }) {
  const { at, principal, source, object, request_id: request, before, after } = entry;
  const facts = {
    Time: exactTime(at),
    By: principal.name === null ? principal.id : `${principal.name} (${principal.id})`,
    From: source ?? 'the machine of the service',
    Object: object,
    ...(request !== null && { Request: request }),
  };
  return (
    <div class="details">
      <Facts of={facts} />
      {(before !== null || after !== null) && <JsonDiff before={before} after={after} />}
    </div>
  );
}
