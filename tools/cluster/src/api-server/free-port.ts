import { createServer } from 'node:net';

/**
 * TCP ports on loopback that are free now, all different. Another process may take one before it is used; the caller's server then fails,
 * and the caller tries again with new ones.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map((server) => {
        const { promise, resolve, reject } = Promise.withResolvers<number>();
        server.on('error', reject);
        server.listen(0, '127.0.0.1', () => {
          const address = server.address();
          if (address === null || typeof address === 'string') reject(new Error('no port was given'));
          else resolve(address.port);
        });
        return promise;
      }),
    );
  } finally {
    for (const server of servers) server.close();
  }
}
