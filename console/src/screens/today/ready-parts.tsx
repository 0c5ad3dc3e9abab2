/** What the process is made of and whether it works, as anybody may ask; what does not work first. */
export function ReadyParts({ parts }: { readonly parts: Readonly<Record<string, string>> }) {
  const all = Object.entries(parts).toSorted(([, one], [, other]) => Number(isWell(one)) - Number(isWell(other)));
  return (
    <ul class="parts">
      {all.map(([name, state]) => (
        <li key={name} class="row">
          <i class={`dot ${isWell(state) ? 'good' : 'bad'}`} aria-hidden="true" />
          {PART_NAMES[name] ?? name}
          <span class="quiet">{state}</span>
        </li>
      ))}
    </ul>
  );
}

export function isWell(state: string): boolean {
  return state === 'ready' || state === 'empty';
}

/** What a process is made of, in words. */
export const PART_NAMES: Readonly<Record<string, string>> = {
  ingest: 'Ingest',
  eventLog: 'Event log',
  profiles: 'Profiles',
  analytics: 'Analytics',
  projector: 'Profile writer',
  sink: 'Analytics writer',
  'import-projector': 'Profile writer of imports',
  'import-sink': 'Analytics writer of imports',
  spool: 'Spool',
};
