/** Files that an import reads for a long time without an end of a record, or that have no message. */
export const MB = 2 ** 20;
/** Read with its first byte anew it leaves a quote open, read behind an open quote it closes none at its end. */
export const REOPENING = 'x",""",\n';

interface Form {
  readonly what: string;
  /** What the file begins with. */
  readonly begins: string;
  /** What it then holds again and again. */
  readonly goesOn: string;
}

export const FORMS: readonly Form[] = [
  { what: 'blank lines', begins: '', goesOn: '\n' },
  { what: 'lines of white space', begins: '\uFEFF', goesOn: ' \t\r\n' },
  { what: 'a line of spaces without end', begins: '', goesOn: ' ' },
  { what: 'blank lines behind a message', begins: '{"type":"track","user_id":"a","event":"b"}\n', goesOn: '\n' },
  { what: 'blank lines behind a header', begins: 'type,user_id,event\n', goesOn: '\r\n' },
  { what: 'a line without end', begins: '{"user_id":"', goesOn: 'x' },
  { what: 'zero bytes', begins: '{"user_id":"', goesOn: '\0' },
  { what: 'a header without end', begins: 'type,user_id,event,', goesOn: 'x' },
  { what: 'a quote that is never closed', begins: 'type,user_id,event\n"', goesOn: 'aaaaaaa\n' },
  { what: 'quotes of which none is closed', begins: 'type,user_id,event\n', goesOn: REOPENING },
];
