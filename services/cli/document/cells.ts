/** What a table or a line shows of an answer, as `x-cli` says. */
import { localTime, oneLine, shortened, table } from '../print.ts';

/** The head of a column → what it shows. */
export type Columns = Readonly<Record<string, string>>;

export function tableOf(columns: Columns, rows: readonly unknown[]): string {
  const templates = Object.values(columns);
  return table(
    Object.keys(columns),
    rows.map((row) => templates.map((template) => filled(template, row))),
  );
}

/**
 * Fills a text such as `{id}`, or `{rate_limit}/s|none`: the first of the alternatives for which all that it names is
 * there, else `-`. Of several paths with commas between them the first counts that is there. A path leads through lists to
 * what each member has. After a colon stands how a value is shown.
 */
export function filled(template: string, value: unknown): string {
  for (const alternative of template.split('|')) {
    let isThere = true;
    const text = alternative.replaceAll(/\{([\w.,-]+)(?::([^}]*))?\}/g, (_, path: string, how?: string) => {
      const shown = path
        .split(',')
        .map((one) => shownOf(valueAt(value, one.split('.')), how))
        .find((one) => one !== undefined);
      isThere &&= shown !== undefined;
      return shown ?? '';
    });
    if (isThere) return text;
  }
  return '-';
}

function valueAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || value === null || value === undefined) return value;
  if (!Array.isArray(value)) return valueAt((value as Readonly<Record<string, unknown>>)[step], rest);
  if (/^-?\d+$/.test(step)) return valueAt(value.at(Number(step)) as unknown, rest);
  return [...new Set(value.map((member) => valueAt(member, [step, ...rest])))];
}

const SHOWN: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  time: (value) => localTime(String(value)),
  count: (value) => String((value as readonly unknown[]).length),
  positive: (value) => (Number(value) > 0 ? String(value) : undefined),
  true: (value) => (value === true ? '' : undefined),
};

/** @param how A name of `SHOWN`, the most characters, or what stands between the members of a list. */
function shownOf(value: unknown, how = ', '): string | undefined {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  const show = SHOWN[how];
  if (show !== undefined) return show(value);
  if (Array.isArray(value)) return value.map((member) => textOf(member)).join(how);
  return /^\d+$/.test(how) ? shortened(textOf(value), Number(how)) : textOf(value);
}

function textOf(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
