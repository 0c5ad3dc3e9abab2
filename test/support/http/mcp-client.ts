import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** What a tool gave: its value, or what it refused. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly value: {
    readonly notice: string;
    readonly question?: { readonly definition: unknown; readonly description: string };
    readonly answer: Readonly<Record<string, unknown>>;
  };
}

/** The public client, until the test ends. @param mode `auto`: the newest revision that both know. */
export async function mcpClient(url: string, key: string, mode: VersionNegotiationMode = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

export async function useTool(client: Client, name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: given });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { isError, text, value: structuredContent as ToolAnswer['value'] };
}
