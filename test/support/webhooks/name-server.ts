/** A name server on a free port of 127.0.0.1, which answers only what it knows. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const TYPE_OF_V4 = 1;

export class NameServer {
  /** The names that were asked for, once for each question. */
  readonly asked: string[] = [];
  readonly #socket = createSocket('udp4');
  readonly #known: Readonly<Record<string, string | null>>;

  /** @param known Addresses of IPv4 by name; null: there is no such name. Questions for others are not answered. */
  private constructor(known: Readonly<Record<string, string | null>>) {
    this.#known = known;
    this.#socket.on('message', (question, from) => this.#receive(question, from));
  }

  /** It is closed when the test ends. */
  static async start(known: Readonly<Record<string, string | null>> = {}): Promise<NameServer> {
    const server = new NameServer(known);
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    onTestFinished(() => void server.#socket.close());
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  #receive(question: Buffer, from: RemoteInfo): void {
    const { name, type, end } = questionIn(question);
    this.asked.push(name);
    const address = this.#known[name];
    if (address === undefined) return;
    const isAnswered = address !== null && type === TYPE_OF_V4;
    const answer = Buffer.from(question.subarray(0, end));
    answer.writeUInt16BE(address === null ? 0x8183 : 0x8180, 2);
    for (const [index, count] of [1, isAnswered ? 1 : 0, 0, 0].entries()) answer.writeUInt16BE(count, 4 + 2 * index);
    const record = isAnswered
      ? [0xc0, 12, 0, TYPE_OF_V4, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]
      : [];
    this.#socket.send(Buffer.concat([answer, Buffer.from(record)]), from.port, from.address);
  }
}

function questionIn(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}
