/** The program, `node services/main.js [ROLE]`. */
import './require-node.js';

await import('./main.ts');
