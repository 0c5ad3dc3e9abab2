import { useState } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { Selection } from '../../api/dead-letters.ts';
import type { DeadLettersPage } from '../../api/types.ts';
import { address, linkTo } from '../../api/address.ts';
import { projectName } from '../../api/session.ts';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { count } from '../../parts/numbers.ts';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { Pager } from '../../parts/table.tsx';
import { Empty, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Facets } from './facets.tsx';
import { filterIn, isFiltered, type LetterFilter, selectionOf } from './filter.ts';
import { DeadLetterPage } from './dead-letter.tsx';
import { type Choose, LetterGroup } from './letter-group.tsx';
import { ReplayOrDrop } from './replay-or-drop.tsx';
import './dead-letters.css';
import { optionWords } from '../../parts/copy-as.tsx';

/** `#/dead-letters` with a filter, and `#/dead-letters/{topic/partition/offset}`. */
export function DeadLettersScreen() {
  const id = address.value.path[1];
  return id === undefined ? <LetterList /> : <DeadLetterPage key={id} id={id} />;
}

function LetterList() {
  const { query } = address.value;
  const filter = filterIn(query);
  const cursor = query.get('cursor') ?? undefined;
  const selected = { ...selectionOf(filter), state: filter.state, limit: 50 };
  const asked = operation('GET /v1/admin/dead-letters', { query: { ...selected, cursor } });
  const page = useAnswer(asked);
  return (
    <ScreenPage
      title="Dead letters"
      beside={<p class="quiet">Messages that could not be stored</p>}
      actions={<DownloadCsv name="dead letters" of={asked} />}
      copy={{ request: asked, tidemark: ['dead-letters', 'list', ...optionWords(selected)] }}
    >
      <Facets filter={filter} counts={page.value?.facets} />
      <Ready of={page} what="dead letters">
        {(found) => <FoundLetters page={found} onChange={page.retry} />}
      </Ready>
    </ScreenPage>
  );
}

function FoundLetters({ page, onChange }: { readonly page: DeadLettersPage; readonly onChange: () => void }) {
  const filter = filterIn(address.value.query);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { dead_letters: letters, next_cursor: next } = page;
  if (letters.length === 0 && next === null) return <Nothing isFiltered={isFiltered(filter)} />;
  const words = chosen.size > 0 ? `${count(chosen.size)} chosen` : isFiltered(filter) ? 'all of these' : 'all';
  const change = (): void => {
    setChosen(new Set());
    onChange();
  };
  const choose: Choose = (ids, isChosen) => {
    const others = [...chosen].filter((id) => !ids.includes(id));
    setChosen(new Set(isChosen ? [...others, ...ids] : others));
  };
  return (
    <>
      {filter.state === 'waiting' && (
        <ReplayOrDrop
          labels={{ replay: `Replay ${words}…`, drop: `Drop ${words}…` }}
          selection={selectionFor(filter, [...chosen])}
          name={filter.project === undefined ? 'dead letters' : projectName(filter.project)}
          onChange={change}
        />
      )}
      {/* By what the last reader said; the groups in the order of their newest. */}
      {[...Map.groupBy(letters, ({ attempts }) => attempts.at(-1)?.error ?? '')].map(([error, group]) => (
        <LetterGroup key={error} error={error} letters={group} chosen={chosen} choose={choose} />
      ))}
      <Pager next={next} />
    </>
  );
}

/** Without any that are chosen, all that the filter finds are meant. */
function selectionFor(filter: LetterFilter, chosen: readonly string[]): Selection {
  if (chosen.length > 0) return { ids: chosen };
  const selection = selectionOf(filter);
  return Object.keys(selection).length === 0 ? { all: true } : selection;
}

function Nothing({ isFiltered: isNarrowed }: { readonly isFiltered: boolean }) {
  if (!isNarrowed) {
    return <Empty title="No failed messages">A message that cannot be stored waits here until you correct it.</Empty>;
  }
  return (
    <Empty
      title="No dead letter matches"
      action={<LinkButton label="Show all that wait" link={linkTo(['dead-letters'])} />}
    />
  );
}
