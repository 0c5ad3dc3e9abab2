import { Client, type ClientConfig } from 'pg';

/**
 * The driver's client, which leaves nothing behind where it cannot sign in. The driver's own, and its pool, forget a
 * connection that they gave up themselves (no password, a signature that does not match) without closing it: the server
 * keeps it for a minute, and whoever drops a database waits for it.
 */
export class TidyClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}
