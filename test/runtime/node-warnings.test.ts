import { expect, test } from 'vitest';
import { runProgram } from '../support/service/program.ts';

test("Node's warnings are printed by the logger, those of other threads too", async () => {
  const { stdout, stderr } = await runProgram(['test/support/programs/warner.ts']);

  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
    Array.from({ length: 2 }, () => ({ level: 'warn', err: { name: 'ManyWarning', message: 'too many of them' } })),
  );
  expect(stderr).toBe('');
});
