import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { silentLogger, systemClock } from '@lateen/kernel';
import { behaviours, faultServer, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { configForTests } from './config-for-tests.ts';
import { kubeClient } from './kube-client.ts';

it('uses the proxy of the kubeconfig, with TLS to the API server inside', async () => {
  const server = await faultServer();
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
    tunnels.push(request.url ?? '');
    const upstream = connect(server.port, server.host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cluster = { 'proxy-url': `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const config = configForTests(server, { cluster });
  const kube = kubeClient({ config, clock: systemClock, random: seededRandom(1), log: silentLogger });
  try {
    server.next(behaviours.answers(200, 'ok'));
    expect(await kube.raw({ path: '/readyz' })).toBe('ok');
    expect(tunnels).toEqual([`127.0.0.1:${server.port}`]);
  } finally {
    await kube.close();
    await server.close();
    proxy.closeAllConnections();
    proxy.close();
  }
});
