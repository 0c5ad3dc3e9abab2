/** The audit log, newest first; an entry opens to what it changed. */
import { operation } from '../../api/client.ts';
import type { AuditEntry } from '../../api/types.ts';
import { parameter, setParameters } from '../../api/address.ts';
import { projectName, projects } from '../../api/session.ts';
import { Choice, FilterField, Filters } from '../../parts/choice.tsx';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { JsonDiff } from '../../parts/json/json-diff.tsx';
import { KeyName, OTHERS, useKeyNames } from '../key-name.tsx';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Clock, exactTime } from '../../parts/time.tsx';
import { Empty, useAnswer } from '../../parts/loading/use-load.tsx';
import { ACTIONS } from './audit-actions.ts';

export function Audit() {
  // In the address, `project` is the one that the whole console looks at.
  const names = ['action', 'of_project', 'principal', 'since', 'until'];
  const [action, project, principal, since, until] = names.map(parameter);
  const asked = { action, project, principal, since, until };
  const request = operation('GET /v1/admin/audit', { query: asked });
  const loaded = useAnswer(operation('GET /v1/admin/audit', { query: { ...asked, cursor: parameter('cursor') } }));
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  return (
    <Section id="audit" title="Audit log" actions={<DownloadCsv name="audit log" of={request} />} copy={{ request }}>
      <AuditFilters />
      <Listed
        of={loaded}
        what="the audit log"
        rowsOf={({ entries }) => entries}
        keyOf={({ id }) => id}
        columns={ENTRY_COLUMNS}
        openBy="open"
        detailsOf={(entry) => <EntryDetails entry={entry} />}
        none={
          <Empty title={isFiltered ? 'No such change' : 'No changes yet'}>
            Changes to projects, keys and audiences, and everything operators do, are kept here for good.
          </Empty>
        }
      />
    </Section>
  );
}

function AuditFilters() {
  const names = useKeyNames();
  const narrow = (name: string) => (value: string) => setParameters({ cursor: '', [name]: value }, { push: true });
  return (
    <Filters>
      <Choice
        label="Action"
        isSearch
        value={parameter('action') ?? ''}
        options={{ '': 'All', ...ACTIONS }}
        onChoice={narrow('action')}
      />
      <Choice
        label="Project"
        value={parameter('of_project') ?? ''}
        options={[['', 'All'], ...projects.value.map(({ id, name }) => [id, name] as const)]}
        onChoice={narrow('of_project')}
      />
      <Choice
        label="By"
        value={parameter('principal') ?? ''}
        options={[['', 'Anybody'], ...Object.entries(OTHERS), ...names]}
        onChoice={narrow('principal')}
      />
      <FilterField name="since" label="Since" type="date" />
      <FilterField name="until" label="Before" type="date" />
    </Filters>
  );
}

const ENTRY_COLUMNS: readonly CellColumn<AuditEntry>[] = [
  { name: 'Action', cell: ({ action }) => <b>{ACTIONS[action] ?? action}</b> },
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
