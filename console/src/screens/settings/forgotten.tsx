/** People who are forgotten: who asked, how far it is, and the certificate of what was deleted. */
import { operation } from '../../api/client.ts';
import type { Erasure } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { project, projectName } from '../../api/session.ts';
import { DocsLink } from '../../parts/docs-link.tsx';
import { KeyName, type KeyNames, useKeyNames } from '../key-name.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { Section } from '../../parts/page.tsx';
import { type CellColumn, isOpenRow, Listed, OpenRow, useOpenRow } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { StateMark } from '../job-state.tsx';
import { ForgottenPerson } from './forgotten-person.tsx';

export function Forgotten() {
  const query = { project: project.value?.id, cursor: parameter('cursor') };
  const loaded = useAnswer(operation('GET /v1/admin/erasures', { query }), ({ erasures }) =>
    erasures.some(({ state }) => state === 'pending') ? POLL_MS.awaited : undefined,
  );
  const names = useKeyNames();
  useOpenRow();
  return (
    <Section
      id="forgotten"
      title="Forgotten people"
      copy={{ request: operation('GET /v1/admin/erasures', { query }), tidemark: ['forget', 'list'] }}
    >
      <p class="quiet small text">
        The people of {projectName(project.value?.id ?? '')}. No id that you gave is kept: each person is known by an
        internal id, which the certificate has as a hash.{' '}
        <DocsLink path="docs/forget.md">What is deleted, and what remains</DocsLink>
      </p>
      <Listed
        of={loaded}
        what="forgotten people"
        rowsOf={({ erasures }) => erasures}
        keyOf={({ id }) => id}
        columns={personColumns(names)}
        detailsOf={(erasure) =>
          isOpenRow(erasure.id) && <ForgottenPerson erasure={erasure} names={names} onLifted={loaded.retry} />
        }
        none={
          <Empty title="Nobody was forgotten">
            On the page of a user, <b>Forget…</b> deletes a person for good. The certificate is here afterwards.
          </Empty>
        }
      />
    </Section>
  );
}

function personColumns(names: KeyNames): readonly CellColumn<Erasure>[] {
  return [
    {
      name: 'Person',
      cell: ({ id, internal_id: person, came_with: own }) => (
        <OpenRow id={id}>
          <code>{person?.slice(0, 12) ?? 'everybody'}…</code> {own && <span class="quiet small">an anonymous id</span>}
        </OpenRow>
      ),
    },
    { name: 'Asked', cell: ({ requested_at: at }) => <Ago at={at} isPlain /> },
    { name: 'By', look: 'narrow-off', cell: ({ actor }) => <KeyName id={actor} name={names.get(actor)} /> },
    { name: 'State', cell: (erasure) => <StateMark {...erasureState(erasure)} /> },
  ];
}

function erasureState({ state, waits_because: why, lifted_at: lifted }: Erasure): { text: string; tone: string } {
  if (state === 'pending') return why === null ? { text: 'Under way', tone: 'busy' } : { text: 'Waits', tone: 'warn' };
  return lifted === null ? { text: 'Forgotten', tone: 'good' } : { text: 'Forgotten, lifted', tone: 'good' };
}
