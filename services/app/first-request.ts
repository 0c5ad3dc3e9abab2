/** A line of curl that works as it stands: what a newcomer's first start prints. */
export function firstRequest(address: string, writeKey: string): string {
  const body = JSON.stringify({ user_id: 'ada', event: 'Signed Up', properties: { plan: 'pro' } });
  return `  curl -s ${address}/v1/track -H 'api_key: ${writeKey}' -H 'Content-Type: application/json' -d '${body}'`;
}
