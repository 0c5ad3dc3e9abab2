// Sends an identify and a track, and reads the user back. See ../README.md.
const url = process.env.TIDEMARK_URL ?? 'http://127.0.0.1:8080';
const { WRITE_KEY, READ_KEY } = process.env;

async function post(path, message) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { api_key: WRITE_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  return answerOf(response);
}

async function read(path) {
  return answerOf(await fetch(url + path, { headers: { api_key: READ_KEY } }));
}

async function answerOf(response) {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

const identified = await post('/v1/identify', { user_id: 'ada', traits: { plan: 'pro', language: 'node' } });
const tracked = await post('/v1/track', { user_id: 'ada', event: 'Signed Up', properties: { source: 'node' } });

// Until then the messages are safe, but not in any answer.
for (const { receipt } of [identified, tracked]) {
  for (let seen = false; !seen;) {
    const { projected, queryable } = await read(`/v1/receipts/${receipt}?wait=10`);
    seen = projected && queryable;
  }
}

console.log(JSON.stringify(await read('/v1/users/ada')));
console.log(JSON.stringify(await read('/v1/users/ada/events?limit=10')));
