import { readFileSync, readlinkSync } from 'node:fs';

/** What tells a process from every other, as far as this system lets us know; '' where it does not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot of the machine. */
  readonly boot: string;
  /** Where this pid counts: containers number their processes apart. */
  readonly namespace: string;
  /** When it started, in ticks since the boot: pids come again. */
  readonly startedAt: string;
}

export function thisProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '',
    namespace: attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '',
    startedAt: startOf('self') ?? '',
  };
}

/** Whether this process is certainly gone. False where it lives, and where one cannot tell from here. */
export function isGone(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.boot !== self.boot) return other.boot !== '' && self.boot !== '';
  if (other.namespace !== self.namespace) return false;
  // Without /proc a pid that is taken may be another's by now, and only a free one is proof.
  if (self.startedAt === '') return isFree(other.pid);
  return startOf(String(other.pid)) !== other.startedAt;
}

/** Undefined where there is no such process, or it is dead and only waits for its parent to notice. */
function startOf(pid: string): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field, the name, is in parentheses and may hold anything, spaces and parentheses too (proc(5)).
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
