/** What was rejected in the last 30 days, the last first. */
import { operation } from '../../api/client.ts';
import type { RefusalGroup } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { counted } from '../../parts/numbers.ts';
import { KeyName } from '../key-name.tsx';
import { correctedBody, markedParts, remedyOf, whatIsWrong } from '../rejection.ts';
import { Command, curlText } from '../../parts/copy-as.tsx';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { Empty, POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';

export function Refusals() {
  const request = operation('GET /v1/refusals', { query: { limit: 50, cursor: parameter('cursor') } });
  return (
    <Section
      id="refusals"
      title="Rejected or corrected in the last 30 days"
      actions={<DownloadCsv name="rejected" of={request} />}
      copy={{ request: operation('GET /v1/refusals') }}
    >
      <Listed
        of={useAnswer(request, POLL_MS.current)}
        what="what was rejected"
        rowsOf={({ refusals }) => refusals}
        keyOf={groupName}
        columns={REFUSAL_COLUMNS}
        openBy="open"
        detailsOf={(group) => <RefusalDetails group={group} />}
        none={
          <Empty title="Nothing was rejected">
            What the service cannot accept appears here within ten seconds: what was wrong, who sent it, how often, and
            what to do about it.
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
      <>
        {whatIsWrong(group)}
        {group.code === 'adjusted' && <span class="badge mended">recorded</span>}
      </>
    ),
  },
  { name: 'Sent to', look: 'whole narrow-off', cell: ({ path }) => <code>{path ?? 'others'}</code> },
  { name: 'By', look: 'narrow-off', cell: (group) => <Sender group={group} /> },
  { name: 'Times', look: 'number', cell: ({ count }) => counted(count) },
  { name: 'Last', look: 'quiet', cell: ({ last }) => <Ago at={last} isPlain /> },
];

function Sender({ group: { key_id: id, key_name: name } }: { readonly group: RefusalGroup }) {
  return id === null ? <span class="quiet">unknown</span> : <KeyName id={id} name={name} />;
}

function RefusalDetails({ group }: { readonly group: RefusalGroup }) {
  const corrected = correctedBody(group);
  const [before, fault, after] = markedParts(group);
  const facts = {
    'What to do': <b>{remedyOf(group)}</b>,
    Key: <Sender group={group} />,
    Program: group.user_agent ?? undefined,
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
          <p class="label">The beginning of one of them</p>
          <pre class="json" tabIndex={0}>
            {before}
            {fault !== '' && <mark>{fault}</mark>}
            {after}
          </pre>
        </div>
      )}
      {corrected !== undefined && group.path !== null && (
        <Command
          name="Corrected request"
          what="corrected request"
          text={curlText({ request: { ...operation('POST /v1/track', { body: corrected }), path: group.path } })}
        />
      )}
    </div>
  );
}
