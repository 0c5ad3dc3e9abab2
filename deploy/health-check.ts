/** What a container's HEALTHCHECK runs: exits 0 where the service beside it answers the path (`/healthz`) with a 2xx. */

const ANSWER_WITHIN_MS = 4_000;

const path = process.argv[2] ?? '/healthz';
const port = process.env['PORT'] || '8080';

try {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal });
  // `docker inspect` shows it: which part is not ready.
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`no answer: ${String(error)}\n`);
  process.exitCode = 1;
}
