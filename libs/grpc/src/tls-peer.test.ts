import { type AddressInfo, createServer, type Server as PlainServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { systemClock } from '@lateen/kernel';
import { testCertificates } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClient, type TestServer, testService } from './test-service.ts';
import { certificateProblem, connectTls } from './tls-peer.ts';

const { ca, otherCa, server: pair } = testCertificates();
const never = new AbortController().signal;
const servers: Server[] = [];
const plainServers: PlainServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
  for (const server of plainServers.splice(0)) server.close();
});

/** Presents a certificate for localhost and 127.0.0.1, and requests none. */
async function serve(host = '127.0.0.1'): Promise<number> {
  const server = new Server();
  servers.push(server);
  const { definition, implementation } = testService({ say: async ({ text }) => ({ text: `${text}!` }) });
  server.addService(definition, implementation);
  const shown = [{ cert_chain: Buffer.from(pair.cert), private_key: Buffer.from(pair.key) }];
  const credentials = ServerCredentials.createSsl(null, shown, false);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync(`${host}:0`, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  return promise;
}

/** A server without TLS. */
async function servePlain(onConnection?: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  plainServers.push(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return (server.address() as AddressInfo).port;
}

async function said(address: string, authority = ca): Promise<unknown> {
  using client = connectTls<TestServer>({ address, ca: authority }, TestClient);
  const call = client.say({ text: 'a' }, { signal: never, deadlineMs: systemClock.now() + 20_000 });
  return await call.catch((error: unknown) => error);
}

describe('a peer with a certificate', () => {
  // This test comes first, because Node prints the warning once per process.
  it('is called by an IP address without a warning of Node', async () => {
    const warned: Error[] = [];
    const listen = (warning: Error) => void warned.push(warning);
    process.on('warning', listen);
    try {
      expect(await said(`127.0.0.1:${await serve()}`)).toEqual({ text: 'a!' });
      await setImmediate();
      expect(warned).toEqual([]);
    } finally {
      process.off('warning', listen);
    }
  });

  it.each(['localhost', '127.0.0.1'])('is called when the trusted CA has signed it and it is for %s', async (host) => {
    const port = await serve();
    expect(await said(`${host}:${port}`)).toEqual({ text: 'a!' });
    expect(await certificateProblem({ address: `${host}:${port}`, ca }, never)).toBeUndefined();
  });

  it('is not called when another CA has signed it', async () => {
    const address = `localhost:${await serve()}`;
    expect(await said(address, otherCa)).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await certificateProblem({ address, ca: otherCa }, never)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it('is not called when its certificate is for another host', async () => {
    const address = `127.0.0.2:${await serve('127.0.0.2')}`;
    expect(await said(address)).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await certificateProblem({ address, ca }, never)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('is not reported for a closed port or a server without TLS', async () => {
    const port = await servePlain((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await certificateProblem({ address: `localhost:${port}`, ca }, never)).toBeUndefined();
    expect(await certificateProblem({ address: 'localhost:1', ca }, never)).toBeUndefined();
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const port = await servePlain();
    const asked = certificateProblem({ address: `localhost:${port}`, ca }, stop.signal);
    stop.abort(new Error('told to stop'));
    await expect(asked).rejects.toThrow('told to stop');
  });

  it.each([
    ['localhost', ca],
    ['localhost:0', ca],
    ['localhost:99999', ca],
    ['https://localhost:443', ca],
    ['fe80::1:443', ca],
    ['localhost:443', 'no certificate'],
  ])('is rejected at %s with the CA %.9s', (address, authority) => {
    const peer = { address, ca: authority };
    expect(() => connectTls<TestServer>(peer, TestClient)).toThrow(expect.objectContaining({ code: 'TLS_PEER' }));
  });
});
