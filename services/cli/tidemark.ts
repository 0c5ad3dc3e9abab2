/** The command `tidemark`, once tidemark.js has checked the version of Node. */
import './compile-cache.js';

// Every file that is created from here on belongs to this user alone.
process.umask(0o077);

await import('./program.ts');
