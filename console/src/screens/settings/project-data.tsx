/** Whether a project joins anonymous ids with users, how many ids that concerns, and the switch. */
import { ask, operation } from '../../api/client.ts';
import type { AdminProject, Answer, Joins } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { type Loaded, Ready, useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { bytes as bytesText, count, counted } from '../../parts/numbers.ts';
import { DocsLink, Facts, Section } from '../../parts/page.tsx';
import { type CellColumn, ShortListing } from '../../parts/table.tsx';
import { useState } from 'preact/hooks';
import { countOf } from '../../api/json.ts';
import { Field } from '../../parts/form.tsx';

export interface ProjectProps {
  readonly project: AdminProject;
  readonly reload: () => void;
}

export function JoinedIds({ project, reload }: ProjectProps) {
  const { id, join_ids: isOn } = project;
  const loaded = useAnswer(operation('GET /v1/admin/projects/{id}/joins', { path: { id } }));
  return (
    <Section id="joined-ids" title="Joined ids" actions={<Switch project={project} numbers={loaded} reload={reload} />}>
      <p class="quiet small text">
        {isOn ? 'This project joins ids: an' : 'This project does not join ids. Where one does, an'} anonymous id that
        was seen with one user alone counts as that user, with what was done before the sign-in.{' '}
        <DocsLink path="docs/one-person.md">The rule</DocsLink>
      </p>
      <Ready of={loaded} what="numbers">
        {(joins) => (
          <>
            <Numbers of={joins} isOn={isOn} />
            <MostShared ids={joins.most_shared} project={id} />
          </>
        )}
      </Ready>
    </Section>
  );
}

function Numbers({ of, isOn }: { readonly of: Joins; readonly isOn: boolean }) {
  const facts = {
    [isOn ? 'Ids joined' : 'Ids to join']: counted(of.joined),
    'Shared ids': counted(of.shared),
    'Seen with nobody': counted(of.unseen),
    'Users at 100 ids': counted(of.users_at_limit),
    'Decided by hand': counted(of.decided),
  };
  return <Facts of={facts} look="figures narrow" />;
}

type SharedId = Joins['most_shared'][number];

function MostShared({ ids, project }: { readonly ids: readonly SharedId[]; readonly project: string }) {
  if (ids.length === 0) return null;
  const linkOf = ({ anonymous_id: id }: SharedId) => (
    <a class="id" href={linkTo(['users'], { anonymous_id: id, project })}>
      {id}
    </a>
  );
  const columns = [
    { name: 'Ids with the most users', cell: linkOf },
    { name: 'Users', look: 'number', cell: ({ users }: SharedId) => counted(users) },
  ];
  return <ShortListing rows={ids} keyOf={({ anonymous_id: id }) => id} columns={columns} look="below" />;
}

interface SwitchProps extends ProjectProps {
  readonly numbers: Loaded<Joins>;
}

function Switch({ project: { id, join_ids: isOn }, numbers, reload }: SwitchProps) {
  const action = isOn ? 'Stop joining ids' : 'Join ids';
  const change = async (): Promise<void> => {
    await ask(operation('PATCH /v1/admin/projects/{id}', { path: { id }, body: { join_ids: !isOn } }));
    tellDone('Switched. Answers follow within ten seconds.');
    reload();
  };
  return (
    <ConfirmButton label={`${action}…`} title={`${action}?`} action={action} onConfirm={change}>
      <p>What is found changes, not what was sent: you can switch back.</p>
      <Ready of={numbers} what="numbers">
        {(joins) => <Numbers of={joins} isOn={isOn} />}
      </Ready>
      <JoinEffects projectId={id} isToJoin={!isOn} />
    </ConfirmButton>
  );
}

interface JoinEffect {
  /** The audience's. */
  readonly name: string;
  /** How many enter, and how many leave; undefined where that exceeds the limits of one query. */
  readonly moved: readonly (number | undefined)[];
}

const EFFECT_COLUMNS: readonly CellColumn<JoinEffect>[] = [
  { name: 'Audience', cell: ({ name }) => name },
  ...['Enter', 'Leave'].map((name, i) => ({
    name,
    look: 'number',
    cell: ({ moved: { [i]: users } }: JoinEffect) => (users === undefined ? 'over limits' : count(users)),
  })),
];

/** Those that change, as they are counted one after another, and how many do not once all are. */
function JoinEffects({ projectId, isToJoin }: { readonly projectId: string; readonly isToJoin: boolean }) {
  const [changed, setChanged] = useState<readonly JoinEffect[]>([]);
  const loaded = useLoad(projectId, async (signal) => {
    // One that exceeds the limits of a query does not keep the others from being counted.
    const options = { headers: { 'Tidemark-Project': projectId }, signal, takes: [422] };
    const { audiences } = await ask({ ...operation('GET /v1/audiences', { query: { limit: 1_000 } }), ...options });
    const effects: JoinEffect[] = [];
    for (const { id, name } of audiences) {
      const body = { audience: id, to_join_ids: isToJoin, sample: 0 };
      const request = operation('POST /v1/audiences/compare', { body });
      const found: Partial<Answer<'POST /v1/audiences/compare'>> = await ask({ ...request, ...options });
      effects.push({ name, moved: [found.entering, found.leaving].map((users) => users && countOf(users.count)) });
      setChanged(effects.filter(({ moved }) => moved.some((users) => users !== 0)));
    }
    return audiences.length;
  });
  return (
    <>
      {changed.length > 0 && <ShortListing rows={changed} keyOf={({ name }) => name} columns={EFFECT_COLUMNS} />}
      <Ready of={loaded} what="audiences">
        {(total) => <p class="quiet small">Audiences without a change: {count(total - changed.length)}</p>}
      </Ready>
    </>
  );
}

/** For how many months a project keeps events, and what goes where that is changed. */
export function KeptEvents({ project, reload }: ProjectProps) {
  const { keep_events: kept } = project;
  return (
    <Section id="kept-events" title="Kept events" actions={<MonthsButton project={project} reload={reload} />}>
      <p class="quiet small text">
        {kept === null ? 'Events are kept for ever.' : `Events are kept for ${Number.parseInt(kept, 10)} months.`}{' '}
        Profiles and the log keep what they have. <DocsLink path="docs/retention.md">What goes</DocsLink>
      </p>
    </Section>
  );
}

const MONTHS = /^[1-9]\d{0,2}$/;

function MonthsButton({ project: { id, name, keep_events: kept }, reload }: ProjectProps) {
  const [months, setMonths] = useState(kept === null ? '' : String(Number.parseInt(kept, 10)));
  const keep = MONTHS.test(months) ? `${months}mo` : null;
  const change = async (): Promise<void> => {
    await ask(operation('PATCH /v1/admin/projects/{id}', { path: { id }, body: { keep_events: keep } }));
    tellDone(keep === null ? 'Events are kept for ever.' : 'A job deletes older events within a minute.');
    reload();
  };
  return (
    <ConfirmButton
      label="Change…"
      ariaLabel="Change how long events are kept"
      title="How long are events kept?"
      name={name}
      action={keep === null ? 'Keep all events' : 'Delete older events'}
      onConfirm={change}
    >
      <Field
        label="Months (empty: for ever)"
        name="months"
        isFirst
        inputMode="numeric"
        pattern="[1-9][0-9]{0,2}"
        title="A whole number from 1 to 999"
        defaultValue={months}
        onInput={({ currentTarget }) => setMonths(currentTarget.value.trim())}
      />
      {keep !== null && <WhatGoes id={id} keep={keep} />}
    </ConfirmButton>
  );
}

function WhatGoes({ id, keep }: { readonly id: string; readonly keep: string }) {
  const request = operation('GET /v1/admin/projects/{id}/old-events', { path: { id }, query: { keep_events: keep } });
  return (
    <Ready of={useAnswer(request)} what="what goes">
      {(found) => (
        <>
          <p>Events before {found.first_day} are deleted for good:</p>
          <Facts
            of={{ Events: counted(found.events), Users: counted(found.users), Disk: bytesText(found.bytes) }}
            look="figures narrow"
          />
          {found.audiences.length > 0 && (
            <p class="small">Audiences that look further back: {found.audiences.map(({ name }) => name).join(', ')}</p>
          )}
        </>
      )}
    </Ready>
  );
}
