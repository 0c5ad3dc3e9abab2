/** What the cells of a column of CSV are, by most of them. Pure. */
import { isNumberOrBoolean } from '../csv-rows.ts';
import type { ImportPreview } from '../import-options.ts';
import { isDate } from '../odd-dates.ts';
import { plainName, type SeenColumn, textsOf } from './guess-columns.ts';

export type TypedColumn = ImportPreview['guess']['columns'][number];

type CellType = TypedColumn['type'];

/** Digits that nobody adds up. */
const ID_NAMES =
  /(?:^|_)(?:u?u?id|ids|number|no|nr|code|zip|plz|post_?code|phone|telephone|tel|mobile|fax|sku|ean|gtin|isbn|iban|account)$/;
const ZEROS = /^[+-]?0\d/;

export function typedColumn(column: SeenColumn): TypedColumn {
  const { name } = column;
  const texts = textsOf(column);
  const [most] = [...Map.groupBy(texts, cellType)].toSorted(([, one], [, other]) => other.length - one.length);
  const [type, cells]: readonly [CellType, readonly string[]] = most ?? ['text', []];
  const isId = type === 'number' && (ID_NAMES.test(plainName(name)) || texts.some((text) => ZEROS.test(text)));
  if (isId || type === 'text' || cells.length <= texts.length / 2)
    return { name, type: 'text', others: 0, other: null };
  const other = texts.find((text) => cellType(text) !== type) ?? null;
  return { name, type, others: texts.length - cells.length, other };
}

/** Whether some cell would be a number, or true or false, in a column that is text. */
export function isMistaken(column: SeenColumn, { type }: TypedColumn): boolean {
  return (type === 'text' || type === 'date') && textsOf(column).some(isNumberOrBoolean);
}

function cellType(text: string): CellType {
  if (isNumberOrBoolean(text)) return text === 'true' || text === 'false' ? 'boolean' : 'number';
  return isDate(text) ? 'date' : 'text';
}
