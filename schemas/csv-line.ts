/**
 * A line of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it: ids are
 * what anybody sent. Plain numbers, also those of telephones, stay as they are.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return cells.map((cell) => csvCell(cell ?? '')).join(',');
}

function csvCell(text: string): string {
  const isFormula = /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !/^[+-][\d.]+$/.test(text));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
