import { connect } from 'node:net';
import { isTlsRecord } from '../../runtime/transport-faults.ts';
import { brokerOf } from './platformatic/options.ts';

const CORRELATION = 0x54_49_44_45;
const PATIENCE_MS = 1_000;

/**
 * How a broker answers Kafka's first question (ApiVersions, version 0), asked without TLS; undefined where it does not.
 * A broker closes the connection to clients that begin with TLS where it speaks none, or the other way round, as does one
 * that is going away: only this tells a wrong setting from what passes.
 */
export async function answerInPlain(broker: string): Promise<'plain' | 'TLS' | undefined> {
  const socket = connect({ ...brokerOf(broker), signal: AbortSignal.timeout(PATIENCE_MS) });
  const question = Buffer.from('0000000a00120000ffffffffffff', 'hex');
  question.writeInt32BE(CORRELATION, 8);
  socket.write(question);
  try {
    for await (const answer of socket as AsyncIterable<Buffer>) {
      if (isTlsRecord(answer)) return 'TLS';
      return answer.length >= 8 && answer.readInt32BE(4) === CORRELATION ? 'plain' : undefined;
    }
  } catch {
    // Not there.
  }
  return undefined;
}
