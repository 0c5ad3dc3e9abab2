/** What a table or a line shows of an answer, as `x-cli` says. */
import { localTime, oneLine, shortened, table } from '../print.ts';

/** The head of a column → what it shows. */
export type Columns = Readonly<Record<string, string>>;

export function tableBy(columns: Columns, rows: readonly unknown[]): string {
  const templates = Object.values(columns);
  return table(
    Object.keys(columns),
    rows.map((row) => templates.map((template) => filled(template, row))),
  );
}

/**
 * Fills a text such as `{id}`, or `{rate_limit}/s|none`: the first alternative counts whose members all have a value, and
 * `-` if there is no such. In `{a,b}` the first path counts that has a value. A path goes through lists to what each member
 * has. How a value is written stands after a colon.
 */
export function filled(template: string, value: unknown): string {
  for (const alternative of template.split('|')) {
    let hasAll = true;
    const text = alternative.replaceAll(/\{([\w.,-]+)(?::([^}]*))?\}/g, (_, path: string, how?: string) => {
      const cell = path
        .split(',')
        .map((one) => written(memberAt(value, one.split('.')), how))
        .find((one) => one !== undefined);
      hasAll &&= cell !== undefined;
      return cell ?? '';
    });
    if (hasAll) return text;
  }
  return '-';
}

function memberAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || value === null || value === undefined) return value;
  if (!Array.isArray(value)) return memberAt((value as Readonly<Record<string, unknown>>)[step], rest);
  if (/^-?\d+$/.test(step)) return memberAt(value.at(Number(step)) as unknown, rest);
  return [...new Set(value.map((member) => memberAt(member, [step, ...rest])))];
}

const WAYS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  time: (value) => localTime(String(value)),
  count: (value) => String((value as readonly unknown[]).length),
  positive: (value) => (Number(value) > 0 ? String(value) : undefined),
  true: (value) => (value === true ? '' : undefined),
};

/** @param how A name of `WAYS`, the most characters, or what stands between the members of a list. */
function written(value: unknown, how = ', '): string | undefined {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  const show = WAYS[how];
  if (show !== undefined) return show(value);
  if (Array.isArray(value)) return value.map((member) => asText(member)).join(how);
  return /^\d+$/.test(how) ? shortened(asText(value), Number(how)) : asText(value);
}

function asText(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
