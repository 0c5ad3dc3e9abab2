/** What the people of the project have pinned: each a link to its page, a chart or an audience with its figure. */
import { linkTo, parseAddress } from '../../api/address.ts';
import { ask, operation } from '../../api/client.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import type { Pin } from '../../api/types.ts';
import { ChangeButton, FieldError } from '../../parts/loading/change.tsx';
import { POLL_MS, useAnswer, useLater } from '../../parts/loading/use-load.tsx';
import { Listing, RowLink } from '../../parts/table.tsx';

export function Pins() {
  const { value, error, retry } = useAnswer(operation('GET /v1/pins'), POLL_MS.idle);
  const hasPins = value !== undefined && value.pins.length > 0;
  const Figure = useLater(hasPins, async () => (await import('./pin-figure.tsx')).PinFigure);
  const columns = [
    { name: 'Name', cell: ({ name, address }: Pin) => <RowLink link={linkOf(address)}>{name}</RowLink> },
    { name: 'Figure', look: 'days', cell: ({ address }: Pin) => Figure && <Figure address={address} /> },
    { name: 'Unpin', isHidden: true, cell: ({ name }: Pin) => <Unpin name={name} onDone={retry} /> },
  ];
  return (
    <section class="card" aria-labelledby="pins">
      <h2 id="pins">Pinned</h2>
      <FieldError error={error} />
      {value !== undefined && (
        <Listing
          look="pins"
          rows={value.pins}
          keyOf={({ name }) => name}
          columns={mayChangeAudiences.value ? columns : columns.slice(0, 2)}
          none={
            <p class="quiet">
              Nothing yet. <b>Share</b> on a chart, a list or an audience pins it here, for everybody who looks at this
              project.
            </p>
          }
        />
      )}
    </section>
  );
}

function linkOf(address: string): string {
  const { path, query } = parseAddress(address);
  return linkTo(path, Object.fromEntries(query));
}

function Unpin({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const unpin = async (): Promise<void> => ask(operation('DELETE /v1/pins/{name}', { path: { name } })).then(onDone);
  return <ChangeButton label="Unpin" look="plain" aria-label={`Unpin ${name}`} change={unpin} />;
}
