import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { testCertificates } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectTcp } from './connect.ts';
import { serveTcp, type TcpServer } from './tcp-server.ts';
import { TestClient, type TestServer, testService } from './test-service.ts';
import type { TlsFiles } from './tls-files.ts';

const { ca, otherCa, server: serverPair, clients } = testCertificates();
const never = new AbortController().signal;
let directory = '';
let server: TcpServer | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-tls-'));
});
afterEach(async () => {
  await server?.stop(0);
  server = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function filesOf(name: string, { cert, key }: { cert: string; key: string }, authority = ca): Promise<TlsFiles> {
  const at = (end: string) => join(directory, `${name}-${end}`);
  await Promise.all([writeFile(at('ca'), authority), writeFile(at('cert'), cert), writeFile(at('key'), key)]);
  return { ca: at('ca'), cert: at('cert'), key: at('key'), rereadMs: 30 };
}

async function serve(tls: TlsFiles): Promise<number> {
  const service = testService({ say: async ({ text }) => ({ text: `${text}!` }) });
  server = await serveTcp({ host: '127.0.0.1', port: 0, tls }, [service], systemClock);
  return server.port;
}

async function said(port: number, tls: TlsFiles, serverName = 'localhost'): Promise<unknown> {
  using client = await connectTcp<TestServer>({ host: '127.0.0.1', port, tls, serverName }, TestClient);
  const call = client.say({ text: 'a' }, { signal: never, deadlineMs: systemClock.now() + 20_000 });
  return await call.catch((error: unknown) => error);
}

describe('TLS of both sides', () => {
  it('admits a client whose certificate the CA has signed', async () => {
    const port = await serve(await filesOf('server', serverPair));
    expect(await said(port, await filesOf('client', clients[0]))).toEqual({ text: 'a!' });
  });

  it('rejects a server with a certificate of another CA or for another name', async () => {
    const port = await serve(await filesOf('server', serverPair));
    expect(await said(port, await filesOf('client', clients[0], otherCa))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await said(port, await filesOf('client', clients[0]), 'another')).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('rejects a client whose certificate another CA has signed', async () => {
    const port = await serve(await filesOf('server', serverPair, otherCa));
    expect(await said(port, await filesOf('client', clients[0]))).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('uses renewed files without a restart', async () => {
    const files = await filesOf('server', serverPair, otherCa);
    const port = await serve(files);
    const client = await filesOf('client', clients[0]);
    expect(await said(port, client)).toMatchObject({ code: 'UNAVAILABLE' });
    await copyFile(client.ca, join(directory, 'new-ca'));
    await rename(join(directory, 'new-ca'), files.ca);
    await expect.poll(() => said(port, client), { timeout: 20_000 }).toEqual({ text: 'a!' });
  });

  it('names the file that cannot be read, and files that do not match', async () => {
    const good = await filesOf('server', serverPair);
    await expect(serve({ ...good, key: join(directory, 'none') })).rejects.toMatchObject({
      code: 'TLS_FILES',
      message: expect.stringContaining(join(directory, 'none')),
    });
    const { key } = await filesOf('client', clients[0]);
    await expect(serve({ ...good, key })).rejects.toMatchObject({ code: 'TLS_FILES' });
    await writeFile(good.ca, 'nothing');
    await expect(serve(good)).rejects.toMatchObject({ code: 'TLS_FILES' });
  });
});
