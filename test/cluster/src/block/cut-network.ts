import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The network between the nodes of a rig, as far as connections are led through it. */
export interface CutNetwork extends AsyncDisposable {
  /** Leads connections that come to `from` on to `to`; port 0: any. Resolves with the port. */
  lead(from: Place, to: Place): Promise<number>;
  /**
   * From now on nothing comes through in either direction, and nobody is told: no connection ends, those that are made get no answer. What is
   * sent meanwhile is kept.
   */
  cut(): void;
  /** What was kept comes through, as TCP sends again what was not acknowledged; then the ends of connections, too. */
  heal(): void;
}

export function cutNetwork(): CutNetwork {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let healed = Promise.withResolvers<void>();
  healed.resolve();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // Whoever reads it hears of it.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  /** Never rejects: a connection that breaks is one that ends, for the other side. */
  const pump = async (from: Socket, to: Socket) => {
    try {
      for await (const bytes of from) {
        await healed.promise;
        await new Promise<void>((written) => to.write(bytes, () => written()));
      }
    } catch {
      // It was reset.
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
