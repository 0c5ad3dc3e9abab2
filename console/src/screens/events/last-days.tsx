import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import { count } from '../../parts/numbers.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';

const DAYS = 14;
/** Each is a question to analytics, and a project may ask few at once. */
const AT_ONCE = 3;

let running = 0;
const waiting: (() => void)[] = [];

/** The events of each of the last days, asked for when the line comes into view, a few lines at once. */
export function LastDays({ event }: { readonly event: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [values, setValues] = useState<readonly number[]>();
  useEffect(() => {
    const controller = new AbortController();
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void daysOf(event, controller.signal).then(setValues);
    });
    if (box.current !== null) observer.observe(box.current);
    return () => {
      observer.disconnect();
      controller.abort();
    };
  }, []);
  const sum = values?.reduce((total, value) => total + value, 0);
  return (
    <div ref={box} class="last-days">
      {values !== undefined && (
        <Sparkline values={values} room={values.length} label={`${count(sum ?? 0)} in the last ${DAYS} days`} />
      )}
    </div>
  );
}

/** Undefined where the service did not answer: the line is left out then. */
async function daysOf(event: string, signal: AbortSignal): Promise<readonly number[] | undefined> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => void waiting.push(resolve));
  running++;
  try {
    if (signal.aborted) return undefined;
    const body = { event, measure: 'count', within: { last: `${DAYS}d` }, interval: 'day' } as const;
    const { buckets, series } = await ask({ ...operation('POST /v1/events/counts', { body }), signal });
    return series[0]?.values.map((value) => (value === null ? 0 : countOf(value))) ?? buckets.map(() => 0);
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) return undefined;
    throw error;
  } finally {
    running--;
    waiting.shift()?.();
  }
}
