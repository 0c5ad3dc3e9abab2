/** An identify and a track in three languages of the examples, each whole: it runs as it stands. Pure. */

const TRAITS = { name: 'Ada Lovelace', plan: 'pro' };
const PROPERTIES = { total: 129.9, currency: 'EUR' };

export const LANGUAGES = ['curl', 'Node', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** @param url The address of the service, which ends with a slash. @param key The write key, or what stands for it. */
export function snippetOf(language: Language, url: string, key: string): string {
  const identify = JSON.stringify({ user_id: 'ada', traits: TRAITS });
  const track = JSON.stringify({ user_id: 'ada', event: 'Order Completed', properties: PROPERTIES });
  switch (language) {
    case 'curl':
      return [curl(`${url}v1/identify`, key, identify), curl(`${url}v1/track`, key, track)].join('\n');
    case 'Node':
      return `const send = (call, message) =>
  fetch(\`${url}v1/\${call}\`, {
    method: 'POST',
    headers: { Authorization: 'Bearer ${key}', 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  }).then(async (answer) => console.log(await answer.text()));

send('identify', ${identify});
send('track', ${track});`;
    case 'Python':
      return `import json, urllib.request

def send(call, message):
    headers = {"Authorization": "Bearer ${key}", "Content-Type": "application/json"}
    request = urllib.request.Request("${url}v1/" + call, json.dumps(message).encode(), headers)
    print(urllib.request.urlopen(request).read().decode())

send("identify", ${identify})
send("track", ${track})`;
    default:
      return language satisfies never;
  }
}

function curl(url: string, key: string, message: string): string {
  return `curl ${url} \\\n  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\\n  -d '${message}'`;
}
