/** Some of the users that the definition finds, with the traits that it asks about. */
import type { AudienceMember } from '../../api/types.ts';
import { Section } from '../../parts/page.tsx';
import { RowLink } from '../../parts/table.tsx';
import { Button } from '../../parts/form.tsx';
import { traitsFor } from '../user-columns.ts';
import { userLink } from '../user-link.ts';
import { UserTable } from '../user-table.tsx';
import type { Builder } from './builder.ts';

interface SamplesProps {
  readonly builder: Builder;
  readonly onTest: (member: AudienceMember) => void;
}

export function Samples({ builder, onTest }: SamplesProps) {
  const counted = builder.counting.counted.value;
  const users = counted?.users ?? [];
  const why = (user: AudienceMember) => <Button label="Why?" look="plain" onClick={() => onTest(user)} />;
  return (
    <Section
      id="samples"
      title={users.length > 0 ? `Sample of ${users.length}` : 'Sample'}
      look={builder.counting.isCounting.value ? 'stale' : undefined}
    >
      {counted === undefined && <p class="quiet">Ten users of the audience appear here.</p>}
      {counted !== undefined && users.length > 0 && (
        <UserTable
          users={users}
          traits={traitsFor(counted.definition)}
          nameOf={(user, cell) => <RowLink link={userLink(user)}>{cell}</RowLink>}
          ends={[{ name: 'Why', isHidden: true, look: 'number', cell: why }]}
        />
      )}
    </Section>
  );
}
