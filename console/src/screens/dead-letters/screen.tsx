import { useState } from 'preact/hooks';
import { operation } from '../../../../schemas/operations.ts';
import type { DeadLetter, DeadLettersPage } from '../../api/types.ts';
import { address, linkTo } from '../../frame/router.ts';
import { projectName } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty, Ready } from '../../parts/loading/states.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { Facets } from './facets.tsx';
import { filterIn, isFiltered, READERS, selectionOf } from './filter.ts';
import { DeadLetterPage } from './dead-letter.tsx';
import { ReplayOrDrop } from './replay-or-drop.tsx';
import './dead-letters.css';

/** `#/dead-letters` with a filter, and `#/dead-letters/{topic/partition/offset}`. */
export function Screen() {
  const id = address.value.path[1];
  return id === undefined ? <List /> : <DeadLetterPage key={id} id={id} />;
}

const PAGE = 50;

function List() {
  const { query } = address.value;
  const filter = filterIn(query);
  const cursor = query.get('cursor') ?? undefined;
  const selected = { ...selectionOf(filter), state: filter.state, limit: PAGE };
  const asked = operation('GET /v1/admin/dead-letters', { query: { ...selected, cursor } });
  const [version, setVersion] = useState(0);
  const page = useAnswer(asked, version);
  return (
    <ScreenPage
      title="Dead letters"
      beside={<p class="quiet">Messages that could not be stored</p>}
      actions={<CopyAs request={asked} tidemark={['dead-letters', 'list', ...optionsOf(selected)]} />}
    >
      <Facets filter={filter} counts={page.state === 'ready' ? page.value.facets : undefined} />
      <Ready of={page} what="dead letters">
        {(found) => <Found page={found} onChange={() => setVersion(version + 1)} />}
      </Ready>
    </ScreenPage>
  );
}

function optionsOf(selected: object): string[] {
  return Object.entries(selected).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
}

type Choose = (ids: readonly string[], isChosen: boolean) => void;

function Found({ page, onChange }: { readonly page: DeadLettersPage; readonly onChange: () => void }) {
  const filter = filterIn(address.value.query);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { dead_letters: letters, next_cursor: next } = page;
  if (letters.length === 0) return <Nothing isFiltered={isFiltered(filter)} />;
  const choose: Choose = (ids, isChosen) => {
    const others = [...chosen].filter((id) => !ids.includes(id));
    setChosen(new Set(isChosen ? [...others, ...ids] : others));
  };
  return (
    <>
      {filter.state === 'waiting' && <ReplayOrDrop filter={filter} chosen={[...chosen]} onChange={onChange} />}
      {[...groupsOf(letters)].map(([error, group]) => (
        <Group key={error} error={error} letters={group} chosen={chosen} choose={choose} />
      ))}
      <Pager next={next} />
    </>
  );
}

/** Dead letters by what the last reader said; the groups in the order of their newest. */
function groupsOf(letters: readonly DeadLetter[]): ReadonlyMap<string, DeadLetter[]> {
  const groups = new Map<string, DeadLetter[]>();
  for (const letter of letters) {
    const error = letter.attempts.at(-1)?.error ?? '';
    groups.set(error, [...(groups.get(error) ?? []), letter]);
  }
  return groups;
}

interface GroupProps {
  readonly error: string;
  readonly letters: readonly DeadLetter[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: Choose;
}

function Group({ error, letters, chosen, choose }: GroupProps) {
  const ids = letters.map(({ id }) => id);
  return (
    <section class="dead-letter-group" aria-label={error}>
      <h2>
        <input
          type="checkbox"
          aria-label={`Choose all with ${error}`}
          checked={ids.every((id) => chosen.has(id))}
          onChange={({ currentTarget }) => choose(ids, currentTarget.checked)}
        />
        <span>{error}</span>
        <span class="quiet">{letters.length}</span>
      </h2>
      <ul class="rows">
        {letters.map((letter) => (
          <li key={letter.id} class="dead-letter-line">
            <input
              type="checkbox"
              aria-label={`Choose ${letter.id}`}
              checked={chosen.has(letter.id)}
              onChange={({ currentTarget }) => choose([letter.id], currentTarget.checked)}
            />
            <DeadLetterRow letter={letter} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function DeadLetterRow({ letter }: { readonly letter: DeadLetter }) {
  const readers = [...new Set(letter.attempts.map(({ reader }) => READERS[reader] ?? reader))].join(' and ');
  return (
    <a class="row-button dead-letter-row" data-row href={linkTo(['dead-letters', letter.id])}>
      <code>{letter.id.replace('tidemark.', '')}</code>
      <span>{readers}</span>
      <span>
        {letter.project_id === null ? <span class="quiet">not readable</span> : projectName(letter.project_id)}
      </span>
      <span class="quiet">{letter.state === 'editing' ? 'an edit was interrupted' : letter.message_id}</span>
      <span class="quiet">
        <Ago at={letter.failed_at} isPlain />
      </span>
    </a>
  );
}

function Nothing({ isFiltered: isNarrowed }: { readonly isFiltered: boolean }) {
  if (!isNarrowed) {
    return <Empty title="No failed messages">A message that cannot be stored waits here until you correct it.</Empty>;
  }
  return (
    <Empty
      title="No dead letter matches"
      action={
        <a class="button" href={linkTo(['dead-letters'])}>
          Show all that wait
        </a>
      }
    />
  );
}
