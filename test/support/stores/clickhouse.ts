/** A question put to a ClickHouse server of the tests beside the adapter, as the user of its URL; a line a row, columns by tabs. */
export async function askServer(url: string, sql: string): Promise<readonly string[]> {
  const { origin, pathname, username, password } = new URL(url);
  const response = await fetch(`${origin}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': decodeURIComponent(password) },
    body: sql,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.split('\n').slice(0, -1);
}
