/** People who are forgotten: who asked, how far it is, and the certificate of what was deleted. */
import { ask, operation, send } from '../../api/client.ts';
import type { Erasure } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { project, projectName } from '../../api/session.ts';
import { KeyName, type KeyNames, useKeyNames } from '../key-name.tsx';
import { Empty, POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { DocsLink, Facts, Section } from '../../parts/page.tsx';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Ago, exactTime } from '../../parts/time.tsx';
import { StateMark } from '../job-state.tsx';
import { countOf, type RawNumber } from '../../api/json.ts';
import { ChangeButton, ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { TextFile } from '../../parts/text-file.ts';
import { EraseEvents } from './erase-events.tsx';

export function Forgotten() {
  const query = { project: project.value?.id, cursor: parameter('cursor') };
  const loaded = useAnswer(operation('GET /v1/admin/erasures', { query }), ({ erasures }) =>
    erasures.some(({ state }) => state === 'pending') ? POLL_MS.awaited : undefined,
  );
  const names = useKeyNames();
  return (
    <>
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
          openBy="open"
          detailsOf={(erasure) => <ForgottenPerson erasure={erasure} names={names} onLifted={loaded.retry} />}
          none={
            <Empty title="Nobody was forgotten">
              On the page of a user, <b>Forget…</b> deletes a person for good. The certificate is here afterwards.
            </Empty>
          }
        />
      </Section>
      <EraseEvents onErased={loaded.retry} />
    </>
  );
}

function personColumns(names: KeyNames): readonly CellColumn<Erasure>[] {
  return [
    {
      name: 'Person',
      cell: ({ internal_id: person, events, came_with: own }) => (
        <>
          {events === null ? <code>{person?.slice(0, 12) ?? 'everybody'}…</code> : `Events: ${counted(events.count)}`}{' '}
          {own && <span class="quiet small">an anonymous id</span>}
        </>
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

interface PersonProps {
  readonly erasure: Erasure;
  readonly names: KeyNames;
  readonly onLifted: () => void;
}

/** One who is forgotten: what was deleted, what remains, and what can be done. */
function ForgottenPerson({ erasure, names, onLifted }: PersonProps) {
  const { id, actor, requested_at: asked, finished_at: finished, lifted_at: lifted, due_at: due } = erasure;
  const { report, suppress, waits_because: why, state, internal_id: person } = erasure;
  const facts = {
    'Asked by': <KeyName id={actor} name={names.get(actor)} />,
    Asked: exactTime(asked),
    Finished: finished !== null && exactTime(finished),
    'Due by': finished === null && exactTime(due),
    'Waits because': why ?? undefined,
    'Later messages': suppress ? 'are dropped' : 'are taken',
    Lifted: lifted !== null && exactTime(lifted),
    ...(report !== null && reportFacts(report, state)),
    Erasure: <code>{id}</code>,
  };
  return (
    <div class="details">
      <Facts of={facts} look="wide-facts" />
      <Remains of={report?.remains ?? []} />
      <div class="row">
        {state === 'done' && <Certificate id={id} />}
        {suppress && person !== null && <Lift id={id} onLifted={onLifted} />}
      </div>
    </div>
  );
}

type Report = NonNullable<Erasure['report']>;

function reportFacts(
  { postgres, clickhouse, found_at_end: found, user_sha256: hash, condition_sha256: condition }: Report,
  state: Erasure['state'],
) {
  return {
    [state === 'done' ? 'Rows deleted' : 'Rows to delete']: rowsText(postgres, clickhouse),
    'Found at the end': found && rowsText(found),
    'SHA-256 of the condition': condition !== undefined && <code class="id">{condition}</code>,
    'SHA-256 of the internal id': hash !== undefined && <code class="id">{hash}</code>,
  };
}

function Remains({ of: remains }: { readonly of: NonNullable<Report['remains']> }) {
  if (remains.length === 0) return null;
  return (
    <div>
      <p class="label">What may still name the person</p>
      <ul class="remains">
        {remains.map(({ what, until }) => (
          <li key={what}>
            {what}
            {until !== null && `, until ${exactTime(until)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

function rowsText(...tables: readonly Readonly<Record<string, RawNumber>>[]): string {
  const rows = tables.flatMap((table) => Object.values(table)).reduce((sum, one) => sum + countOf(one), 0);
  return count(rows);
}

/** Saves it as the service sends it: with every digit. */
function Certificate({ id }: { readonly id: string }) {
  const save = async (): Promise<void> => {
    const file = new TextFile();
    file.add(await (await send(operation('GET /v1/admin/erasures/{id}', { path: { id } }))).text());
    file.save(`${id}.json`);
  };
  return <ChangeButton label="Download certificate" change={save} />;
}

function Lift({ id, onLifted }: { readonly id: string; readonly onLifted: () => void }) {
  const lift = async (): Promise<void> => {
    await ask(operation('POST /v1/admin/erasures/{id}/lift', { path: { id } }));
    tellDone('Lifted: messages of this person are taken again.');
    onLifted();
  };
  return (
    <ConfirmButton label="Lift…" title="Take messages of this person again?" action="Lift" onConfirm={lift}>
      <p>Messages that are received from now on are recorded. What was deleted or dropped stays gone.</p>
    </ConfirmButton>
  );
}
