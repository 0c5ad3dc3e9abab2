/** Which version runs where, and where its data is. */
import { operation, SERVICE } from '../../api/client.ts';
import type { InstallationStatus } from '../../api/types.ts';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Machine } from '../machine.tsx';

export function Installation() {
  const asked = operation('GET /v1/admin/status');
  const status = useAnswer(asked);
  return (
    <Section id="installation" title="Installation" copy={{ request: asked, tidemark: ['status', '--json'] }}>
      <Ready of={status} what="the installation">
        {(found) => (
          <>
            <Facts of={factsOf(found)} look="installation" />
            <Machine status={found} />
            <p class="quiet small below">
              Addresses and passwords of the stores are not shown. They are in its environment.
            </p>
          </>
        )}
      </Ready>
    </Section>
  );
}

function factsOf({ version, role }: InstallationStatus) {
  const service = SERVICE.origin + SERVICE.pathname;
  return {
    Version: version,
    Address: service,
    'Answered by': role === 'all' ? 'a process that does everything' : `a process of the role ${role}`,
    Interface: (
      <>
        <a href={`${service}docs`}>API reference</a> · <a href={`${service}openapi.json`}>OpenAPI</a>
      </>
    ),
  };
}
