/**
 * Imported first by the entry points: a Node that cannot run the rest ends with one line, and not with a syntax error.
 * JavaScript that any such Node can read.
 */
const NEEDED = 24;

const { node } = process.versions;
if (Number(node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `tidemark: this is Node ${node} (${process.execPath}), and Node ${NEEDED} or later is needed. ` +
      'It comes with the packages, and npm finds it there: npm ci && npm start, npx tidemark.\n',
  );
  process.exit(1);
}
