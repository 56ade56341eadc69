import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The network between the nodes of a rig, for connections that pass through it. */
export interface CutNetwork extends AsyncDisposable {
  /** Forwards connections from `from` to `to`; port 0: any. Resolves with the port. */
  lead(from: Place, to: Place): Promise<number>;
  /**
   * From now on nothing passes in either direction, without an error: connections stay open, new ones are accepted and get no answer. Data
   * that is sent meanwhile is kept.
   */
  cut(): void;
  /** Delivers what was kept, as TCP retransmits what was not acknowledged; then also the ends of connections. */
  heal(): void;
}

export function cutNetwork(): CutNetwork {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let healed = Promise.withResolvers<void>();
  healed.resolve();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // The reader of the socket gets the error.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  /** Never rejects: a broken connection is an end for the other side. */
  const pump = async (from: Socket, to: Socket) => {
    try {
      for await (const bytes of from) {
        await healed.promise;
        await new Promise<void>((written) => to.write(bytes, () => written()));
      }
    } catch {
      // The connection was reset.
    }
    await healed.promise;
    to.destroy();
  };
  return {
    lead: async (from, to) => {
      const server = createServer({ noDelay: true }, (socket) => {
        const client = keep(socket);
        void (async () => {
          await healed.promise;
          const beyond = keep(connect({ ...to, noDelay: true }));
          void pump(client, beyond);
          void pump(beyond, client);
        })();
      });
      servers.push(server);
      await new Promise<void>((listening, failed) => {
        server.on('error', failed).listen(from.port, from.host, listening);
      });
      return (server.address() as AddressInfo).port;
    },
    cut: () => {
      healed = Promise.withResolvers();
    },
    heal: () => healed.resolve(),
    [Symbol.asyncDispose]: async () => {
      healed.resolve();
      const closed = servers.map((server) => new Promise((done) => server.close(done)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
