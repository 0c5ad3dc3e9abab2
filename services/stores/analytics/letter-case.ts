/** Texts whose case of letters does not count, in memory and in ClickHouse alike (tested for every letter that has two cases). */

/**
 * Letters that are the upper or lower case of one another become one: ß is SS, and ς and σ are Σ. Letter by letter, so that
 * a part of a text stays a part of it: lower case alone depends on where in a word Σ stands.
 */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss');
}

/** @param string An expression. */
export function foldCaseSql(string: string): string {
  // The upper case of ẞ is ẞ, whose lower case is ß.
  return `replaceAll(replaceAll(lowerUTF8(upperUTF8(${string})), 'ς', 'σ'), 'ß', 'ss')`;
}

/** A text that is searched for, in whatever case and however its accents are encoded. */
export interface TextSearch {
  /** As it is compared. */
  readonly text: string;
  /** Whether it has letters that Unicode spells in several ways: to compare those takes ClickHouse ten times as long. */
  readonly hasSpellings: boolean;
}

export function textSearch(wanted: string): TextSearch {
  const decomposed = wanted.normalize('NFD');
  return { text: foldCase(decomposed), hasSpellings: decomposed !== wanted.normalize('NFC') };
}

/** Whether the text occurs in this one. */
export function isFoundIn(value: string, { text, hasSpellings }: TextSearch): boolean {
  return foldCase(hasSpellings ? value.normalize('NFD') : value).includes(text);
}

/** The same of a column. @param text The parameter of the text. */
export function isFoundInSql(column: string, { hasSpellings }: TextSearch, text: string): string {
  if (!hasSpellings) return `position(${foldCaseSql(column)}, ${text}) > 0`;
  const isAscii = `length(${column}) = lengthUTF8(${column})`;
  return `if(${isAscii}, false, position(${foldCaseSql(`normalizeUTF8NFD(${column})`)}, ${text}) > 0)`;
}
