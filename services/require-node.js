/**
 * Imported first by the entry points: a Node that cannot run the rest ends with one line, and not with a syntax error.
 * JavaScript that any such Node can read.
 */
// With the security releases of 2026.
const NEEDED = '24.18.1';

const { node } = process.versions;
if (node.localeCompare(NEEDED, 'en', { numeric: true }) < 0) {
  process.stderr.write(
    `tidemark: this is Node ${node} (${process.execPath}), and Node ${NEEDED} or later is needed. ` +
      'It comes with the packages, but for macOS on arm64, and npm finds it there: npm ci && npm start, ./tidemark.\n',
  );
  process.exit(1);
}
