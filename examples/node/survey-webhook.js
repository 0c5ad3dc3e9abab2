// Is told by a webhook who enters an audience, and sends each of them a survey, nobody twice:
// WEBHOOK_SECRET=whsec_… node examples/node/survey-webhook.js [STATE]. See ../README.md.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const secret = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
const file = process.argv[2] ?? 'survey.sent';
const TOLERANCE_S = 300;

// Who was sent a survey: a line each, which outlives this program. A line that a crash cut off names nobody.
const state = openSync(file, 'a+');
const sent = new Set(readFileSync(file, 'utf8').split('\n'));
writeSync(state, '\n');

/** Put what sends your surveys here. */
function sendSurvey({ user_id: user, traits }) {
  console.log(`survey ${user} ${traits.email}`);
}

function survey(change) {
  if (change.change !== 'entered' || sent.has(change.internal_id)) return;
  // Noted first: if this program dies before the survey is sent, that is one survey less, and never one too many.
  sent.add(change.internal_id);
  writeSync(state, `${change.internal_id}\n`);
  fsyncSync(state);
  sendSurvey(change);
}

/** Whether the service signed this body, not long ago (Standard Webhooks). */
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1_000 - Number(at)) < TOLERANCE_S)) return false;
  const expected = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const server = createServer(async (req, res) => {
  const body = await text(req);
  if (!isSigned(req.headers, body)) return res.writeHead(401).end();
  const { type, data } = JSON.parse(body);
  if (type === 'audience.changed') data.changes.forEach(survey);
  // Only now: what is not answered with 2xx is sent again.
  res.writeHead(204).end();
});

server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
process.on('SIGTERM', () => {
  closeSync(state);
  process.exit(0);
});
