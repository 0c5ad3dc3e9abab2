import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { AnswerBytes } from '../../services/http/answer-bytes.ts';
import type { Call } from '../../services/http/call.ts';

const LIMIT = 400;

function callOf(projectId: string): Call {
  return { res: new EventEmitter(), projectId, answerBytes: 0 } as unknown as Call;
}

/** Returns how many calls are admitted before any is answered, and answers each of them with this size. */
function admitted(answers: AnswerBytes, projectId: string, calls: number, bytes: number): number {
  const open = Array.from({ length: calls }, () => callOf(projectId)).filter((call) => !answers.admit(call));
  for (const call of open) {
    call.answerBytes = bytes;
    call.res.emit('close');
  }
  return open.length;
}

test('a project whose answers are large has two at once, and another one whose are small as many as it asks for', () => {
  const answers = new AnswerBytes(LIMIT);

  expect(admitted(answers, 'large', 8, 1_000)).toBe(8);
  expect(admitted(answers, 'small', 8, 1)).toBe(8);

  expect([admitted(answers, 'large', 8, 1_000), admitted(answers, 'small', 8, 1)]).toEqual([2, 8]);
});

test('large answers are forgotten once those after them are small', () => {
  const answers = new AnswerBytes(LIMIT);
  admitted(answers, 'one', 1, 1_000);

  for (let times = 0; times < 12; times++) admitted(answers, 'one', 1, 0);

  expect(admitted(answers, 'one', 50, 0)).toBe(50);
});

test('where others hold all bytes, a project that holds none gets those of an answer of one of them', () => {
  const answers = new AnswerBytes(LIMIT);
  for (const id of ['a', 'b', 'c']) admitted(answers, id, 1, 1_000);
  const ended: unknown[] = [];
  const open = ['a', 'a', 'b', 'b'].map((id) => ({
    res: Object.assign(new EventEmitter(), { headersSent: true }),
    projectId: id,
    answerBytes: 0,
    route: { method: 'GET' },
    end: () => ended.push(id),
  }));

  expect(open.map((call) => answers.admit(call as unknown as Call))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(answers.admit(callOf('c'))).toBeUndefined();

  expect(ended).toHaveLength(1);
});
