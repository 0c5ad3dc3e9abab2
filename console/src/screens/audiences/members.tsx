/** The members of an audience now, page by page. A member opens to the reason why. */
import { askLines } from '../../api/ndjson.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudienceMember, SavedAudience } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { Download } from '../../parts/download.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { Ready, useLoad } from '../../parts/loading/use-load.tsx';
import { WhyUser } from '../../parts/conditions/why-tree.tsx';
import { isOpenRow, OpenRow, useOpenRow } from '../../parts/table.tsx';
import { Section } from '../../parts/page.tsx';
import { traitsFor } from '../user-columns.ts';
import { userLink } from '../user-link.ts';
import { UserTable } from '../user-table.tsx';
import { saveMembers } from './save-members.ts';

export function Members({ audience }: { readonly audience: SavedAudience }) {
  const path = { id: audience.id };
  const traits = traitsFor(audience.definition);
  const query = { limit: 50, cursor: parameter('cursor'), traits: traits.join(',') };
  const asked = operation('GET /v1/audiences/{id}/members', { path, query });
  const loaded = useLoad(JSON.stringify(asked), async (signal) => askLines({ ...asked, signal }));
  return (
    <Section
      id="members"
      title="Members"
      actions={
        <Download label="Download CSV" unit="users" run={(tell, signal) => saveMembers(audience, tell, signal)} />
      }
    >
      <Ready of={loaded} what="members">
        {({ lines, end }) => <MembersPage audience={audience} members={lines} traits={traits} next={end.next_cursor} />}
      </Ready>
    </Section>
  );
}

interface PageProps {
  readonly audience: SavedAudience;
  readonly members: readonly AudienceMember[];
  readonly traits: readonly string[];
  readonly next: string | null;
}

function MembersPage({ audience, members, traits, next }: PageProps) {
  useOpenRow('user');
  const detailsOf = (member: AudienceMember) =>
    isOpenRow(member.internal_id, 'user') && (
      <WhyUser audienceId={audience.id} user={member}>
        <p class="below">
          <a href={userLink(member)}>Go to the user</a>
        </p>
      </WhyUser>
    );
  return (
    <UserTable
      users={members}
      traits={traits}
      nameOf={({ internal_id: id }, cell) => (
        <OpenRow id={id} parameter="user">
          {cell}
        </OpenRow>
      )}
      ends={[{ name: 'Why', isHidden: true, look: 'number quiet', cell: () => 'Why?' }]}
      detailsOf={detailsOf}
      none={
        <Empty title="Nobody is in this audience now">Users appear here as soon as they match its definition.</Empty>
      }
      next={next}
    />
  );
}
