// Follows who enters and leaves a saved audience: node examples/node/follow.js AUDIENCE_ID [SINCE]. See ../README.md.
const url = process.env.TIDEMARK_URL ?? 'http://127.0.0.1:8080';
const headers = { api_key: process.env.READ_KEY };
const [audience, from] = process.argv.slice(2);

// A job keeps `since` where it keeps its work: started again with it, it goes on where it was.
for (let since = from ?? null; ;) {
  const query = new URLSearchParams({ wait: '30', ...(since !== null && { since }) });
  const response = await fetch(`${url}/v1/audiences/${audience}/changes?${query}`, { headers });
  if (response.status === 429 || response.status === 503) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    continue;
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { through } = lines.pop();
  if (through === undefined) throw new Error('the answer was cut');
  for (const change of lines) console.log(JSON.stringify(change));
  since = through;
}
