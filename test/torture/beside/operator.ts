/** Requests of an operator to any of several processes, as the command line makes them. */
import { carryOut } from '../../../services/cli/client/carry-out.ts';
import type { ServiceRequest } from '../../../services/cli/client/ask.ts';
import { ADMIN_KEY } from '../../support/service/service.ts';

export class Operator {
  readonly #doors: readonly string[];

  constructor(doors: readonly string[]) {
    this.#doors = doors;
  }

  ask<T>(request: ServiceRequest<T>, signal: AbortSignal): Promise<T> {
    const url = this.#doors[Math.floor(Math.random() * this.#doors.length)] ?? '';
    const context = { env: {}, err: () => undefined, service: { url, key: ADMIN_KEY }, signal };
    return carryOut(context, request);
  }
}
