import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isGone, thisProcess } from '../../services/event-log/process-identity.ts';

const self = thisProcess();
const seesProcesses = self.startedAt !== '';

describe('a process', () => {
  test('is not gone while it lives', () => {
    expect(isGone(self, self)).toBe(false);
  });

  test('is gone once it was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    child.kill('SIGKILL');
    await once(child, 'exit');

    expect(isGone({ ...self, pid: child.pid!, startedAt: '12345' }, self)).toBe(true);
  });

  test.runIf(seesProcesses)('is gone where another has its pid by now', () => {
    expect(isGone({ ...self, startedAt: `${Number(self.startedAt) - 1}` }, self)).toBe(true);
  });

  test.runIf(seesProcesses)('is gone if the machine was started again', () => {
    expect(isGone({ ...self, boot: 'another' }, self)).toBe(true);
  });

  test.runIf(seesProcesses)('of another container may live, whatever its pid means here', () => {
    expect(isGone({ ...self, namespace: 'pid:[1]', pid: 2 ** 30 }, self)).toBe(false);
  });

  test('may live where the system does not tell when it started', () => {
    const blind = { ...self, boot: '', startedAt: '' };

    expect(isGone(blind, blind)).toBe(false);
    expect(isGone({ ...blind, pid: 2 ** 30 }, blind)).toBe(true);
  });
});
