import { Client, type ClientConfig } from 'pg';

/** The connections of a pool, those that are being made included, so that all can be closed whatever the server does. */
export class Connections {
  readonly #clients = new Set<Client>();
  #isHungUp = false;

  /** What the pool makes its clients by. */
  get Client(): typeof Client {
    const keep = (client: Client): void => this.#keep(client);
    return class extends Client {
      constructor(config?: ClientConfig) {
        super(config);
        keep(this);
      }
    };
  }

  /** Closes all of them; those that the pool makes from now on are closed at once. Their statements reject. */
  hangUp(): void {
    this.#isHungUp = true;
    for (const client of this.#clients) destroy(client);
  }

  #keep(client: Client): void {
    this.#clients.add(client);
    const { connection } = client;
    connection.once('end', () => this.#clients.delete(client));
    // The driver and its pool do not close a connection that they gave up themselves (no password, a signature that does
    // not match). The server then keeps it for a minute, and dropping the database waits for it.
    connection.on('error', () => destroy(client));
    // The pool does not listen for errors of a connection in use, and an error event without a listener ends the
    // process. Statements on the connection are rejected in any case.
    client.on('error', () => undefined);
    // Not before the driver has begun to connect.
    if (this.#isHungUp) setImmediate(() => destroy(client));
  }
}

function destroy({ connection }: Client): void {
  connection.stream.destroy();
}
