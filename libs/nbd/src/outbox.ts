import type { Socket } from 'node:net';

/**
 * Sends heads and data. What is sent while the event loop takes in what has come, from whatever connection, leaves in one system call: a head in a packet of its
 * own costs as much as the data, and so does the wake of the peer.
 */
export class Outbox {
  readonly #socket: Socket;
  #corked = false;
  readonly #uncork = () => {
    this.#corked = false;
    this.#socket.uncork();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** `done` is called once the bytes have left for the kernel, or never will. The data is not copied. */
  send(head: Uint8Array, data: readonly Uint8Array[] = [], done?: () => void): void {
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(this.#uncork);
    }
    const last = data.findLastIndex((piece) => piece.length > 0);
    this.#socket.write(head, last < 0 ? done : undefined);
    for (let i = 0; i <= last; i++) {
      const piece = data[i];
      if (piece !== undefined && piece.length > 0) this.#socket.write(piece, i === last ? done : undefined);
    }
  }
}
