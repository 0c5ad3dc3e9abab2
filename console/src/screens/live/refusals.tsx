/** What was rejected in the last 30 days, the last first. */
import { operation } from '../../../../schemas/operations.ts';
import type { RefusalGroup } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/numbers.ts';
import { KeyName, useKeyNames } from '../key-name.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { type CellColumn, isOpenRow, Listed, OpenRow, useOpenRow } from '../../parts/table.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';

export function Refusals() {
  const request = operation('GET /v1/refusals', { query: { limit: 50, cursor: parameter('cursor') } });
  const polled = useAnswer(request, POLL_MS.current);
  useOpenRow();
  return (
    <Section
      id="refusals"
      title="Rejected or mended in the last 30 days"
      copy={{ request: operation('GET /v1/refusals') }}
    >
      <Listed
        of={polled}
        what="what was rejected"
        rowsOf={({ refusals }) => refusals}
        keyOf={groupName}
        columns={REFUSAL_COLUMNS}
        detailsOf={(group) => isOpenRow(groupName(group)) && <RefusalDetails group={group} />}
        none={
          <Empty title="Nothing was rejected or mended">
            Requests that the service cannot accept appear here within ten seconds: the endpoint, what was wrong, how
            often, and an example.
          </Empty>
        }
      />
    </Section>
  );
}

/** What tells one group from the others. */
function groupName({ key_id: key, path, code, pointer }: RefusalGroup): string {
  return [key ?? '', path ?? '', code, pointer].join(' ');
}

const REFUSAL_COLUMNS: readonly CellColumn<RefusalGroup>[] = [
  {
    name: 'Problem',
    cell: (group) => (
      <OpenRow id={groupName(group)}>
        {group.pointer !== '' && <code>{group.pointer.slice(1)} </code>}
        {group.message}
        {group.code === 'adjusted' && <span class="badge mended">recorded, mended</span>}
      </OpenRow>
    ),
  },
  { name: 'Endpoint', look: 'whole', cell: ({ path }) => <code>{path ?? 'others'}</code> },
  { name: 'Times', look: 'number', cell: ({ count }) => counted(count) },
  { name: 'Last', look: 'quiet narrow-off', cell: ({ last }) => <Ago at={last} isPlain /> },
];

/** By its name where that may be asked for. */
function Sender({ id }: { readonly id: string }) {
  const name = useKeyNames().get(id);
  return name === undefined ? <code>{id}</code> : <KeyName id={id} name={name} />;
}

function RefusalDetails({ group }: { readonly group: RefusalGroup }) {
  const facts = {
    Problem: (
      <>
        {group.message} <code>{group.code}</code>
      </>
    ),
    Key: group.key_id === null ? <span class="quiet">unknown</span> : <Sender id={group.key_id} />,
    First: <Ago at={group.first} />,
    Last: <Ago at={group.last} />,
  };
  return (
    <div class="details">
      <Facts of={facts} />
      {group.example === null ? (
        <p class="quiet">No body was read.</p>
      ) : (
        <div>
          <p class="label">
            The beginning of one {group.code === 'adjusted' ? 'that was mended' : 'that was rejected'}
          </p>
          <pre class="json" tabIndex={0}>
            {group.example}
          </pre>
        </div>
      )}
    </div>
  );
}
