/** How many connections fit into the file descriptors of this process. */
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';

/** For stores, readers and files. The embedded stores have some 300 open, and more while they merge. */
const KEPT = 1_000;

/**
 * The configuration with no more connections than descriptors allow, and a line where they are fewer than were set. Past
 * the limit the system refuses stores and readers too, and closes connections without a word.
 *
 * @param limit How many descriptors the process may have; the system's limit by default.
 */
export function withinDescriptors(config: Config, logger: Pick<Logger, 'warn'>, limit = descriptorLimit()): Config {
  const { maxConnections } = config;
  const room = limit - Math.min(KEPT, Math.floor(limit / 2));
  if (maxConnections <= room) return config;
  logger.warn(
    { set: maxConnections, maxConnections: room, descriptors: limit },
    'MAX_CONNECTIONS is lowered: the process may not open as many files. Raise the hard limit (ulimit -Hn)',
  );
  return { ...config, maxConnections: room };
}

/** Node has raised its soft limit to the hard one. Infinite where the system has none, or does not tell. */
function descriptorLimit(): number {
  // It looks up the names of peers, which takes time.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
