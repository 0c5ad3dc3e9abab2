/** Which version runs where, and where its data is. */
import { SERVICE } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { InstallationStatus, ProcessStatus } from '../../api/types.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Facts } from '../../parts/facts.tsx';
import { bytes } from '../../parts/numbers.ts';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';

export function Installation() {
  const asked = operation('GET /v1/admin/status');
  const status = useAnswer(asked);
  return (
    <>
      <div class="section-head">
        <h2>Installation</h2>
        <CopyAs request={asked} tidemark={['status', '--json']} />
      </div>
      {status.state === 'loading' && <Loading what="the installation" />}
      {status.state === 'failed' && <Problem error={status.error} retry={status.retry} />}
      {status.state === 'ready' && <Shown status={status.value} />}
    </>
  );
}

function Shown({
  status: { version, role, disk, stored_bytes: stored, processes },
}: {
  readonly status: InstallationStatus;
}) {
  const service = SERVICE.origin + SERVICE.pathname;
  const facts = {
    Version: version,
    Address: service,
    'Answered by': role === 'all' ? 'a process that does everything' : `a process of the role ${role}`,
    ...(disk !== null && {
      'Data folder': disk.folder,
      'Disk of it': `${bytes(disk.free_bytes)} of ${bytes(disk.total_bytes)} free, ${bytes(disk.used_bytes)} used by the service`,
    }),
    'Event log': bytes(stored.log),
    Profiles: bytes(stored.profiles),
    Analytics: bytes(stored.analytics),
    Interface: (
      <>
        <a href={`${service}docs`}>Documentation</a> · <a href={`${service}openapi.json`}>OpenAPI</a>
      </>
    ),
  };
  return (
    <>
      <Facts of={facts} look="installation" />
      <h2>Processes</h2>
      {processes === null ? <p class="quiet">Their reports cannot be read now.</p> : <Processes all={processes} />}
      <p class="quiet small below">
        The service does not tell the addresses and passwords of its stores to anybody: they are in its environment.
      </p>
    </>
  );
}

const COLUMNS = [
  { name: 'Process' },
  { name: 'Role' },
  { name: 'Version', look: 'narrow-off' },
  { name: 'State' },
  { name: 'Started', look: 'narrow-off' },
];

function Processes({ all }: { readonly all: readonly ProcessStatus[] }) {
  return (
    <Table columns={COLUMNS}>
      {all.map(({ id, role, version, state, started_at: started }) => (
        <tr key={id}>
          <th scope="row">
            <code>{id}</code>
          </th>
          <td>{role}</td>
          <td class="narrow-off">{version}</td>
          <td>{state}</td>
          <td class="quiet narrow-off">
            <Ago at={started} isPlain />
          </td>
        </tr>
      ))}
    </Table>
  );
}
