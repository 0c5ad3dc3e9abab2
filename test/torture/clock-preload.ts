/**
 * Loaded into a process of the service before anything else (`node --import`): its wall clock is off by the milliseconds that
 * the file CLOCK_FILE says, on every thread of it. The monotonic clock goes on as it does where somebody sets a machine's time.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 50;

const file = process.env['CLOCK_FILE'];
const RealDate = Date;
let offsetMs = 0;

if (file !== undefined) {
  look(file);
  setInterval(look, LOOK_EVERY_MS, file).unref();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: [], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  });
}

function now(): number {
  return RealDate.now() + offsetMs;
}

function look(at: string): void {
  try {
    offsetMs = Number(readFileSync(at, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}
