/** The members of an audience now, page by page, since when and until when. Each can be asked why. */
import { askLines } from '../../api/ndjson.ts';
import { operation } from '../../api/client.ts';
import type { AudienceMember, SavedAudience } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { stored } from '../../api/stored.ts';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { Button } from '../../parts/form.tsx';
import { Empty, Ready, useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { WhyUser } from '../../parts/conditions/why-tree.tsx';
import { type CellColumn, isOpenRow, RowLink, toggleRow, useOpenRow } from '../../parts/table.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { displayName, nameTraits, spelled } from '../../parts/user-cell.tsx';
import { columnsFor, traitsFor } from '../user-columns.ts';
import { userLink } from '../user-link.ts';
import { UserTable } from '../user-table.tsx';
import { chosenIn, ColumnChoice, traitsAmong } from '../users/columns.tsx';

const TIMES = { since: 'Joined', changes_at: 'Leaves' } as const;

/** Without a choice: what the definition asks about, and these. */
const memberColumns = stored('member-columns', '');

/** The traits that stand beside the members, as they are asked for. */
function memberTraits({ definition }: SavedAudience): readonly string[] {
  const chosen = chosenIn(memberColumns);
  if (chosen === undefined) return traitsFor(definition);
  return [...new Set([...nameTraits().map((name) => spelled([name])), ...traitsAmong(chosen)])];
}

export function Members({ audience }: { readonly audience: SavedAudience }) {
  useOpenRow('user');
  const traits = memberTraits(audience);
  const query = { limit: 50, cursor: parameter('cursor'), traits: traits.join(','), times: true };
  const asked = operation('GET /v1/audiences/{id}/members', { path: { id: audience.id }, query });
  const loaded = useLoad(JSON.stringify(asked), async (signal) => askLines({ ...asked, signal }));
  const catalog = useAnswer(operation('GET /v1/catalog/traits', { query: { limit: 200 } }));
  const known = catalog.value?.traits.map(({ name }) => spelled([name])) ?? [];
  const visible = chosenIn(memberColumns) ?? [
    ...columnsFor(loaded.value?.lines ?? [], traits).map((name) => `trait:${name}`),
    ...Object.keys(TIMES),
  ];
  return (
    <Section
      id="members"
      title="Members"
      actions={
        <>
          <ColumnChoice traits={known} others={TIMES} visible={visible} choice={memberColumns} />
          <MembersCsv audience={audience} />
        </>
      }
    >
      <Ready of={loaded} what="members">
        {({ lines, end }) => (
          <UserTable
            users={lines}
            traits={traits}
            columns={chosenIn(memberColumns) && traitsAmong(visible)}
            nameOf={(member, cell) => <RowLink link={userLink(member)}>{cell}</RowLink>}
            ends={[
              ...TIME_COLUMNS.filter(({ time }) => visible.includes(time)),
              { name: 'Why', isHidden: true, look: 'number', cell: (member) => <WhyButton member={member} /> },
            ]}
            detailsOf={(member) =>
              isOpenRow(member.internal_id, 'user') && <WhyUser audienceId={audience.id} user={member} />
            }
            none={
              <Empty title="Nobody is in this audience now">
                Users appear here as soon as they match its definition.
              </Empty>
            }
            next={end.next_cursor}
          />
        )}
      </Ready>
    </Section>
  );
}

/** Each page is a question about everybody: few of many rows are quicker. */
const CSV_PAGE = 100_000;

/** All of them, with the traits that are shown. */
export function MembersCsv({ audience, ...button }: { readonly audience: SavedAudience; readonly label?: string }) {
  const query = { traits: memberTraits(audience).join(',') };
  const members = operation('GET /v1/audiences/{id}/members', { path: { id: audience.id }, query });
  return <DownloadCsv name={audience.name} of={members} limit={CSV_PAGE} {...button} />;
}

const TIME_COLUMNS: readonly (CellColumn<AudienceMember> & { readonly time: keyof typeof TIMES })[] = (
  ['since', 'changes_at'] as const
).map((time) => ({
  time,
  name: TIMES[time],
  look: 'number quiet narrow-off',
  cell: ({ [time]: at }) => (typeof at === 'string' ? <Ago at={at} isPlain /> : '–'),
}));

function WhyButton({ member }: { readonly member: AudienceMember }) {
  const { internal_id: id, user_id: user, anonymous_id: anonymous } = member;
  return (
    <Button
      label="Why?"
      look="plain"
      aria-label={`Why? ${displayName(member) ?? user ?? anonymous ?? id}`}
      aria-expanded={isOpenRow(id, 'user')}
      onClick={() => toggleRow(id, 'user')}
    />
  );
}
