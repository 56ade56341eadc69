import { connect, createServer } from 'node:net';
import { forward } from './forward.ts';

/**
 * Runs inside a separate network and forwards every connection to a unix socket in the file system, which all networks share, so that the
 * servers can run in the test itself. A link from a socket works the other way, to a server inside. Ends when its standard input ends.
 */
const links = JSON.parse(process.argv[2] ?? '[]') as {
  address: string;
  port: number;
  socket: string;
  from?: 'socket';
}[];

await Promise.all(
  links.map(
    ({ address, port, socket, from }) =>
      new Promise<void>((listening, failed) => {
        const server = createServer((client) =>
          forward(client, from === 'socket' ? connect(port, address) : connect(socket)),
        ).on('error', failed);
        if (from === 'socket') server.listen(socket, listening);
        else server.listen(port, address, listening);
      }),
  ),
);
process.stdin.resume().on('end', () => process.exit(0));
process.stdout.write('ready\n');
