import type { Socket } from 'node:net';

/** Connects two sockets: data of one is sent to the other, and both end together. */
export function forward(from: Socket, to: Socket): void {
  from.pipe(to).pipe(from);
  for (const [socket, other] of [
    [from, to],
    [to, from],
  ] as const) {
    socket.on('error', () => other.destroy());
    socket.on('close', () => other.destroy());
  }
}
