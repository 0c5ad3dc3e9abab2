import { IngestServer } from './ingest-server.ts';
import { crc32 } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { newMessageId } from '../../services/messages/message-id.ts';
import { encodeReceipt } from '../../services/http/receipt.ts';
const kind = process.argv[2]!;
const ok = (id: string) => ({ status: 200, body: `{"success":true,"message_id":"${id}","receipt":"${'x'.repeat(70)}"}` });
const buf = Buffer.alloc(45, 'x'); let n = 0n;
const handlers: Record<string, (call: any) => any> = {
  sync: (call) => ok((JSON.parse(call.text) as any).user_id),
  key: (call) => ok(userKeyOf(call.project.id, (JSON.parse(call.text) as any).user_id)),
  msgid: (call) => ok(newMessageId() + (JSON.parse(call.text) as any).user_id),
  uuid: (call) => ok(randomUUID() + (JSON.parse(call.text) as any).user_id),
  crc: (call) => ok(crc32(buf) + (JSON.parse(call.text) as any).user_id),
  b64: (call) => ok(buf.toString('base64url') + (JSON.parse(call.text) as any).user_id),
  receipt: (call) => ok((JSON.parse(call.text) as any).user_id + encodeReceipt(call.project.id, Date.now(), [{ topic: 'tidemark.track', partition: 1, offset: n++, appendedAtMs: 5 }])),
};
const s = await IngestServer.start({ routes: [{ method: 'POST', path: '/v1/x', scope: 'write', bodyLimitBytes: 32768, style: 'problem', handle: handlers[kind]! }] });
console.log(s.url);
process.on('SIGTERM', () => process.exit(0));
let last = process.cpuUsage(); process.on('SIGUSR2', () => { const c = process.cpuUsage(last); console.error(kind, 'cpu/req', ((c.user + c.system) / 60000).toFixed(1), 'user', (c.user / 60000).toFixed(1)); last = process.cpuUsage(); });
