/** The figure of what is pinned, with its line: of a chart as its page has it, of an audience its size of the last days. */
import { parseAddress } from '../../api/address.ts';
import { ask, operation } from '../../api/client.ts';
import { countOf, type RawNumber } from '../../api/json.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { useLoad } from '../../parts/loading/use-load.tsx';
import { counted, DAY_MS } from '../../parts/numbers.ts';
import { figureText, measureText } from '../events/figures.ts';
import { countsBody, isWhole, questionOf } from '../events/question.ts';

interface PinnedFigure {
  readonly text: string;
  readonly unit: string;
  /** The oldest first. */
  readonly values: readonly (RawNumber | null)[];
}

const FIGURE_MS = 60_000;

/** Nothing where the page has no figure of its own, or it cannot be had. */
export function PinFigure({ address }: { readonly address: string }) {
  const { value } = useLoad(address, async (signal) => figureOf(address, signal), FIGURE_MS);
  if (value === undefined) return null;
  const { text, unit, values } = value;
  const numbers = values.map((one) => (one === null ? 0 : Number(one.rawJSON)));
  return (
    <span class="pin-figure">
      {numbers.length > 1 && (
        <Sparkline values={numbers} label={`${numbers.length} values, the last ${numbers.at(-1)}`} />
      )}
      <b>{text}</b>
      <span class="quiet small">{unit}</span>
    </span>
  );
}

async function figureOf(address: string, signal: AbortSignal): Promise<PinnedFigure | undefined> {
  const { path, query } = parseAddress(address);
  const [screen, of] = path;
  if (of === undefined || path.length > 2) return undefined;
  if (screen === 'events') return measured(of, query, signal);
  return screen === 'audiences' && of !== 'new' ? sizeOf(of, signal) : undefined;
}

/** All values together, where the chart is split. */
async function measured(event: string, query: URLSearchParams, signal: AbortSignal): Promise<PinnedFigure | undefined> {
  const question = { ...questionOf(event, query, Date.now()), split: undefined, isCompared: false };
  if (!isWhole(question)) return undefined;
  const [counts, whole] = await Promise.all(
    [false, true].map((isWholePeriod) =>
      ask({ ...operation('POST /v1/events/counts', { body: countsBody(question, isWholePeriod) }), signal }),
    ),
  );
  const text = figureText(whole?.series[0]?.values[0], question.measure);
  return { text, unit: measureText(question), values: counts?.series[0]?.values ?? [] };
}

const SIZE_DAYS = 30;

async function sizeOf(id: string, signal: AbortSignal): Promise<PinnedFigure> {
  const since = new Date(Date.now() - SIZE_DAYS * DAY_MS).toISOString();
  const query = { since, per: 'day', limit: SIZE_DAYS + 1 } as const;
  const { history } = await ask({ ...operation('GET /v1/audiences/{id}/history', { path: { id }, query }), signal });
  const newest = history[0]?.count;
  const unit = newest !== undefined && countOf(newest) === 1 ? 'user' : 'users';
  return {
    text: newest === undefined ? '–' : counted(newest),
    unit,
    values: history.map(({ count }) => count).toReversed(),
  };
}
