/** The URL of an embedded log in a folder: in LMDB, or with `EMBEDDED_LOG=log` in segments. */
export function embeddedLogUrl(folder: string): string {
  return `${process.env['EMBEDDED_LOG'] ?? 'lmdb'}:${folder}`;
}
