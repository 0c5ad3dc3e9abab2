/** A process that opens analytics as a role does: at the URL given, again where that is said to help. Says `open`. */
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { retry } from '../../../services/runtime/retry.ts';

const [url = ''] = process.argv.slice(2);
const store = await retry(() => openAnalytics(url), { signal: AbortSignal.timeout(20_000) });
await store.close();
process.stdout.write('open');
