/** What is measured, in which period, by what: every choice is a parameter of the address. */
import { operation } from '../../api/client.ts';
import type { CatalogMember } from '../../api/types.ts';
import { setParameters } from '../../api/address.ts';
import { Choice } from '../../parts/choice.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { Button, Check, Field, Menu } from '../../parts/form.tsx';
import {
  daysIn,
  fits,
  hoursOf,
  INTERVALS,
  MEASURES,
  needsProperty,
  PERIODS,
  periodText,
  type Question,
  splitParts,
} from './question.ts';

interface QuestionFormProps {
  readonly question: Question;
  readonly properties: readonly CatalogMember[];
}

/** Choosing something is a step that Back takes back. */
function choose(changes: Readonly<Record<string, string | undefined>>): void {
  setParameters(changes, { push: true });
}

export function QuestionForm({ question, properties }: QuestionFormProps) {
  return (
    <form class="filters" aria-label="What is measured" onSubmit={(event) => event.preventDefault()}>
      <MeasureChoice question={question} properties={properties} />
      <PeriodChoice question={question} />
      <Choice
        label="For each"
        value={question.interval}
        options={INTERVALS}
        off={keysOf(INTERVALS).filter((interval) => !fits(interval, hoursOf(question.within, Date.now())))}
        onChoice={(interval) => choose({ interval })}
      />
      <SplitChoice question={question} properties={properties} />
      <Check
        label="Compare with the period before"
        isOn={question.isCompared}
        onChange={(isOn) => choose({ compare: isOn ? 'previous' : '' })}
      />
    </form>
  );
}

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

const PERCENTILES = { 50: '50 (median)', 75: '75', 90: '90', 95: '95', 99: '99' };
const TOPS = { 3: '3 largest', 5: '5 largest', 8: '8 largest' };

function MeasureChoice({ question: { measure, of, p }, properties }: QuestionFormProps) {
  const numeric = properties.filter(({ types }) => types.some(({ type }) => type === 'number')).map(({ name }) => name);
  const change = (chosen: string): void => {
    const needs = needsProperty(chosen as keyof typeof MEASURES);
    choose({ measure: chosen, of: needs ? (of ?? numeric[0]) : '', p: chosen === 'percentile' ? p : '' });
  };
  return (
    <>
      <Choice
        label="Measure"
        value={measure}
        options={MEASURES}
        off={numeric.length > 0 ? [] : keysOf(MEASURES).filter(needsProperty)}
        onChoice={change}
      />
      {needsProperty(measure) && (
        <Choice
          label="Property"
          value={of ?? ''}
          options={[
            ...(of === undefined ? [['', 'Choose one'] as const] : []),
            ...numeric.map((name) => [name, name] as const),
          ]}
          onChoice={(name) => choose({ of: name })}
        />
      )}
      {measure === 'percentile' && (
        <Choice label="Percentile" value={p} options={PERCENTILES} onChoice={(value) => choose({ p: value })} />
      )}
    </>
  );
}

/** Times that count back from now, or days of the project's time zone, of which the second is not in the period. */
function PeriodChoice({ question: { within } }: { readonly question: Question }) {
  const [since, until] = daysIn(within);
  const take = (changes: Readonly<Record<string, string>>): void =>
    choose({ last: '', since: '', until: '', interval: '', ...changes });
  const takeDays = (panel: HTMLElement | null): void => {
    const [from = '', to = ''] = [...(panel?.querySelectorAll('input') ?? [])].map(({ value }) => value);
    if (from !== '') take({ since: from, until: to });
  };
  return (
    <div class="period">
      <span class="label">Period</span>
      <Menu text={periodText(within)} label={`Period: ${periodText(within)}`} isChoice>
        {Object.entries(PERIODS).map(([last, text]) => (
          <Button label={text} key={last} aria-pressed={within['last'] === last} onClick={() => take({ last })} />
        ))}
        <div class="days">
          <Field label="Since" type="date" defaultValue={since} />
          <Field label="Before" type="date" defaultValue={until} />
          <Button label="Show these days" onClick={({ currentTarget }) => takeDays(currentTarget.parentElement)} />
        </div>
      </Menu>
    </div>
  );
}

function SplitChoice({ question: { split, top }, properties }: QuestionFormProps) {
  const traits = useAnswer(operation('GET /v1/catalog/traits', { query: { limit: 200 } }));
  const [kind, name] = splitParts(split);
  const ofProperties = properties.map(({ name }) => name);
  const ofTraits = (traits.value?.traits ?? []).map(({ name }) => name);
  const isKnown = name === undefined || (kind === 'trait' ? ofTraits : ofProperties).includes(name);
  return (
    <>
      <label>
        <span class="label">Split by</span>
        <select value={split ?? ''} onChange={({ currentTarget }) => choose({ split: currentTarget.value })}>
          <option value="">Nothing</option>
          {!isKnown && <option value={split}>{name}</option>}
          <SplitGroup label="Properties of the event" kind="property" names={ofProperties} />
          <SplitGroup label="Traits of the user" kind="trait" names={ofTraits} />
        </select>
      </label>
      {name !== undefined && (
        <Choice label="Series" value={String(top)} options={TOPS} onChoice={(value) => choose({ top: value })} />
      )}
    </>
  );
}

interface GroupProps {
  readonly label: string;
  readonly kind: 'property' | 'trait';
  readonly names: readonly string[];
}

function SplitGroup({ label, kind, names }: GroupProps) {
  return (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={`${kind}:${name}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
