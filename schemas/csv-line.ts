/**
 * A line of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it: ids are
 * what anybody sent. Plain numbers, also those of telephones, stay as they are. A text with what separates cells in other
 * countries, a semicolon or a tab, is quoted.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return cells.map((cell) => csvCell(cell ?? '')).join(',');
}

/** Also in the full width of East Asia, and behind what a spreadsheet cuts off (`\s` has U+FEFF and NBSP). */
const FORMULA = /^(?:[\t\r\n]|\s*[=@+\-\uff1d\uff20\uff0b\uff0d])/;
const NUMBER = /^[+-][\d.]+$/;

function csvCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
