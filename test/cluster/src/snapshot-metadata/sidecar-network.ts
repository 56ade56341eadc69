import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { forward } from '../roles/forward.ts';
import { openRoleNetwork } from '../roles/role-network.ts';

/** The address at which the sidecar listens, in its own network. */
const innerPort = 50_051;

/** A network in which the sidecar can listen on all addresses, and reaches the API server of the test. */
export interface SidecarNetwork extends AsyncDisposable {
  readonly innerPort: number;
  /** The port on loopback at which the sidecar can be reached from outside. */
  readonly port: number;
  /** Cuts connections that are opened from now on after the sidecar has sent that many bytes; undefined: does not cut. */
  cutAfter(bytes: number | undefined): void;
  /** Number of connections that were cut. */
  readonly cuts: number;
  inside(program: string): Promise<string>;
}

/** Needs root. */
export async function openSidecarNetwork(directory: string, apiPort: number): Promise<SidecarNetwork> {
  const [api, sidecar] = [join(directory, 'api.sock'), join(directory, 'sidecar.sock')];
  await using stack = new AsyncDisposableStack();
  const serve = async (onConnection: (client: Socket) => void, place: string | { host: string; port: number }) => {
    const clients = new Set<Socket>();
    const server: Server = createServer((client) => {
      clients.add(client.on('close', () => clients.delete(client)));
      onConnection(client);
    });
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject).listen(place, listening.resolve);
    await listening.promise;
    stack.defer(async () => {
      for (const client of clients) client.destroy();
      server.close();
    });
    return server;
  };
  let limit: number | undefined;
  let cuts = 0;
  await serve((client) => forward(client, connect(apiPort, '127.0.0.1')), api);
  const outer = await serve(
    (client) => {
      const server = connect(sidecar);
      const [most, sent] = [limit ?? Number.POSITIVE_INFINITY, { bytes: 0 }];
      server.on('data', ({ length }) => {
        sent.bytes += length;
        if (sent.bytes < most || client.destroyed) return;
        cuts += 1;
        // Data that has arrived is still delivered before the connection ends.
        client.destroySoon();
      });
      forward(client, server);
    },
    { host: '127.0.0.1', port: 0 },
  );
  const network = stack.use(
    await openRoleNetwork(directory, [
      { address: '127.0.0.1', port: apiPort, names: [], socket: api },
      { address: '127.0.0.1', port: innerPort, names: [], socket: sidecar, from: 'socket' },
    ]),
  );
  const all = stack.move();
  return {
    innerPort,
    port: (outer.address() as AddressInfo).port,
    cutAfter: (bytes) => {
      limit = bytes;
    },
    get cuts() {
      return cuts;
    },
    inside: (program) => network.inside(program),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
