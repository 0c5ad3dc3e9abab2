import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket, type TLSSocketOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import { runTool } from '../../servers/processes/server-process.ts';

/** How a protocol begins: Postgres agrees on TLS first, the others begin with it. */
export type Start = 'kafka' | 'postgres' | 'http';

/** What a server does with a connection. */
type Serve = (socket: Socket) => unknown;

/** A port of every address of this machine, served until the test ends. */
export async function listen(serve: Serve): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listening(server);
}

/** A port where nobody listens. */
export async function deafPort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  return port;
}

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '0.0.0.0'), 'listening');
  return (server.address() as { port: number }).port;
}

/** Speaks TLS, and nothing in it. */
export function tlsServer(start: Start, options: TLSSocketOptions): Promise<number> {
  return listen((socket) => {
    const begin = (): void => {
      new TLSSocket(socket, { isServer: true, ...options }).on('error', () => undefined).resume();
    };
    if (start === 'postgres') socket.once('data', () => socket.write('S', begin));
    else begin();
  });
}

/** What servers without TLS do with a client that asks for it. Kafka's broker is at a loss, and answers those who ask in plain. */
export const PLAIN_ANSWERS: Readonly<Record<Start, Serve>> = {
  kafka: (socket) =>
    socket.once('data', (question) => {
      if (question.readUInt16BE(4) !== 18) return socket.end();
      const answer = Buffer.from('0000000a000000000000', 'hex');
      question.copy(answer, 4, 8, 12);
      return socket.write(answer);
    }),
  postgres: (socket) => socket.once('data', () => socket.write('N')),
  http: (socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
};

// OpenSSL's alert: unexpected message.
const ALERT = Buffer.from('15030300020246', 'hex');
const NOT_ENCRYPTED = 'SFATAL\0VFATAL\0C28000\0Mno pg_hba.conf entry for host "127.0.0.1", no encryption\0\0';

/** What servers that ask for TLS do with a client that does not begin with it. */
export const TLS_ANSWERS: Readonly<Record<Start, Serve>> = {
  kafka: (socket) => socket.once('data', () => socket.end(ALERT)),
  postgres: (socket) =>
    socket.once('data', () => {
      const size = Buffer.alloc(4);
      size.writeInt32BE(4 + NOT_ENCRYPTED.length);
      socket.end(`E${size.toString('latin1')}${NOT_ENCRYPTED}`, 'latin1');
    }),
  http: (socket) => socket.once('data', () => socket.end(ALERT)),
};

/** A server's certificate with its chain and key, and the file of the authority that a client is to trust. */
interface Chain {
  readonly caFile: string;
  readonly cert: string;
  readonly key: string;
}

/** Certificates of localhost and 127.0.0.1, each with its own authority and the flaw that its name says. Made by OpenSSL. */
export async function certificateChains(folder: string) {
  const make = (name: string, flaw?: Flaw): Promise<Chain> => makeChain(join(folder, name), flaw);
  return {
    good: await make('good'),
    other: await make('other'),
    expired: await make('expired', 'expired'),
    invalidCa: await make('invalid-ca', 'no authority'),
    invalidPurpose: await make('invalid-purpose', "a client's"),
  };
}

type Flaw = 'expired' | 'no authority' | "a client's";

async function makeChain(folder: string, flaw: Flaw | undefined): Promise<Chain> {
  await mkdir(folder, { recursive: true });
  const openssl = (...args: string[]) => runTool('openssl', args, { cwd: folder });
  const sections = {
    ca: `basicConstraints=critical,CA:${flaw === 'no authority' ? 'FALSE' : 'TRUE'}`,
    server: `subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=${flaw === "a client's" ? 'client' : 'server'}Auth`,
  };
  const config = `[req]\nprompt=no\ndistinguished_name=dn\n[dn]\nCN=tidemark ${flaw}\n[ca]\n${sections.ca}\n[server]\n${sections.server}\n`;
  await writeFile(join(folder, 'config'), config);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const request = ['req', '-config', 'config', ...key];
  await openssl(...request, '-x509', '-days', '1', '-extensions', 'ca', '-keyout', 'ca.key', '-out', 'ca.pem');
  await openssl(...request, '-keyout', 'server.key', '-out', 'server.csr');
  const days = flaw === 'expired' ? '-1' : '1';
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days];
  const extended = ['-extfile', 'config', '-extensions', 'server'];
  await openssl('x509', '-req', '-in', 'server.csr', ...signed, ...extended, '-out', 'server.pem');
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  return { caFile: join(folder, 'ca.pem'), cert: await read('server.pem'), key: await read('server.key') };
}
