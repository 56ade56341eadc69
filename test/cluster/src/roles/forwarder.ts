import { connect, createServer, type Socket } from 'node:net';

/**
 * Runs inside a network of its own and leads every connection to a socket of the file system, which has no network: so the
 * servers themselves can be in the test. Ends when its input does.
 */
const links = JSON.parse(process.argv[2] ?? '[]') as { address: string; port: number; socket: string }[];

const forward = (from: Socket, path: string) => {
  const to = connect(path);
  from.pipe(to).pipe(from);
  for (const [socket, other] of [
    [from, to],
    [to, from],
  ] as const) {
    socket.on('error', () => other.destroy());
    socket.on('close', () => other.destroy());
  }
};

await Promise.all(
  links.map(
    ({ address, port, socket }) =>
      new Promise<void>((listening, failed) => {
        createServer((client) => forward(client, socket))
          .on('error', failed)
          .listen(port, address, listening);
      }),
  ),
);
process.stdin.resume().on('end', () => process.exit(0));
process.stdout.write('ready\n');
