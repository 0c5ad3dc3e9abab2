import type { SavedAudience } from '../../api/types.ts';
import { countOf, jsonText } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import { ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { goTo, linkTo } from '../../api/address.ts';
import { mayChangeAudiences, project } from '../../api/session.ts';
import { Empty } from '../../parts/loading/use-load.tsx';
import { Command, type CopyAsProps } from '../../parts/copy-as.tsx';
import { plural } from '../../parts/numbers.ts';
import { traitsFor } from '../user-columns.ts';
import { changeAudience } from './updates.ts';
import { LinkButton } from '../../parts/page.tsx';

export function AudienceButtons({ audience }: { readonly audience: SavedAudience }) {
  const { id, name, definition, evaluation } = audience;
  const copy = { definition: jsonText(definition), name: `${name} (copy)` };
  const remove = async (): Promise<void> => {
    await changeAudience(audience, operation('DELETE /v1/audiences/{id}', { path: { id } }));
    tellDone('Audience deleted.');
    goTo(linkTo(['audiences']));
  };
  return (
    <>
      <LinkButton label="Edit" link={linkTo(['audiences', id, 'edit'])} />
      <LinkButton label="Duplicate" link={linkTo(['audiences', 'new'], copy)} />
      <ConfirmButton
        label="Delete…"
        title="Delete this audience?"
        name={name}
        action="Delete the audience"
        onConfirm={remove}
      >
        <p>
          {evaluation === null ? 'It was not counted yet.' : `It has ${plural(countOf(evaluation.members), 'member')}.`}{' '}
          Its definition, its versions and the record of who joined and left are deleted for good. Programs that ask for
          its members or changes will get “not found”. Users do not change.
        </p>
      </ConfirmButton>
    </>
  );
}

/** For those who may make one. */
export function NewAudience() {
  if (!mayChangeAudiences.value) return null;
  return (
    <>
      <LinkButton label="From a file" link={linkTo(['audiences', 'from-file'])} />
      <LinkButton label="New audience" look="primary" link={linkTo(['audiences', 'new'])} />
    </>
  );
}

export function NoAudiences() {
  return (
    <Empty title="No audiences yet" action={mayChangeAudiences.value && <NewAudience />}>
      An audience is a group of users with something in common: those who ordered for more than 100 in the last 30 days.
      It shows how many there are, who joins and who leaves.
      {!mayChangeAudiences.value && ' To make one, sign in with a key that has the permission “audiences”.'}
    </Empty>
  );
}

/** All members as CSV, who joined and left, and the SQL of the members. */
export function copyOf({ id, definition }: SavedAudience): CopyAsProps {
  const path = { id };
  const traits = traitsFor(definition).join(',');
  const named = `project = '${project.value?.id ?? ''}', audience = '${id}'`;
  const sql = `SELECT user_id, anonymous_id, entered_at FROM audience_members_now(${named})`;
  return {
    request: operation('GET /v1/audiences/{id}/members', { path, query: { format: 'csv', traits } }),
    isStream: true,
    tidemark: ['audience', 'members', id, '--traits', traits, '--format', 'csv'],
    also: { changes: operation('GET /v1/audiences/{id}/changes', { path, query: { wait: 30, traits } }) },
    children: <Command name="SQL" text={sql} what="the SQL" />,
  };
}
