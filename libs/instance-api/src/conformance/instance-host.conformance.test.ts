import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, serveTcp, serveUnix, type TlsFiles } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { testCertificates } from '@lateen/testing';
import { expect, it } from 'vitest';
import { connectInstanceHost, connectInstanceHostUnix } from '../host-client.ts';
import { instanceService, replicaService } from '../instance-service.ts';
import { connectInstanceHostLate } from '../late-host.ts';
import { connectReplicaControl, connectReplicaControlUnix } from '../replica-client.ts';
import { describeInstanceHost } from './describe-instance-host.ts';
import { describeReplicaControl } from './describe-replica-control.ts';
import { scriptedHost } from './scripted-host.ts';

const clock = systemClock;
const options = () => ({ log: silentLogger, clock, stopping: new AbortController().signal });

const itself = async () => {};

describeInstanceHost('the host itself', async (host) => ({ host, end: itself }));
describeReplicaControl('the replicas themselves', async (control) => ({ control, end: itself }));

describeInstanceHost('over a unix socket', async (scripted) => {
  const { endpoint, end } = await unixServer(instanceService(scripted, options()));
  const host = connectInstanceHostUnix(endpoint, { clock });
  return { host, end: () => end(host) };
});

describeReplicaControl('over a unix socket', async (scripted) => {
  const { endpoint, end } = await unixServer(replicaService(scripted, options()));
  const control = connectReplicaControlUnix(endpoint);
  return { control, end: () => end(control) };
});

describeInstanceHost('over TCP with TLS of both sides', async (scripted) => {
  const { peer, end } = await tcpServer(instanceService(scripted, options()));
  const host = await connectInstanceHost(peer, { clock });
  return { host, end: () => end(host) };
});

describeInstanceHost('over TCP, connected by the first call', async (scripted) => {
  const { peer, end } = await tcpServer(instanceService(scripted, options()));
  const host = connectInstanceHostLate(peer, { clock });
  return { host, end: () => end(host) };
});

it('a connection whose certificate files are missing is retried on the next call', async () => {
  const { peer, end } = await tcpServer(instanceService(scriptedHost(), options()));
  const directory = await mkdtemp(join(tmpdir(), 'lateen-instance-'));
  const ca = join(directory, 'ca.crt');
  const host = connectInstanceHostLate({ ...peer, tls: { ...peer.tls, ca } }, { clock });
  const { signal } = new AbortController();
  const ask = () => host.registerDisk({ path: '/disk', uuid: 'uuid' }, { signal });
  await expect(ask()).rejects.toMatchObject({ code: 'TLS_FILES' });
  await copyFile(peer.tls.ca, ca);
  await expect(ask()).resolves.toBeUndefined();
  await end(host);
  await rm(directory, { recursive: true });
});

describeReplicaControl('over TCP with TLS of both sides, beside the host', async (scripted) => {
  const { peer, end } = await tcpServer(
    instanceService(scriptedHost(), options()),
    replicaService(scripted, options()),
  );
  const control = await connectReplicaControl(peer);
  return { control, end: () => end(control) };
});

async function unixServer(...services: Service[]) {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-instance-'));
  const endpoint = `unix://${join(directory, 'instance.sock')}`;
  const server = await serveUnix(endpoint, services, clock);
  return { endpoint, end: (client: Disposable) => endOf(client, server, directory) };
}

async function tcpServer(...services: Service[]) {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-instance-'));
  const { server: serverFiles, client: tls } = await writtenCertificates(directory);
  const server = await serveTcp({ host: '127.0.0.1', port: 0, tls: serverFiles }, services, clock);
  const peer = { host: '127.0.0.1', port: server.port, tls, serverName: 'localhost' };
  return { peer, end: (client: Disposable) => endOf(client, server, directory) };
}

async function endOf(client: Disposable, server: { stop(graceMs: number): Promise<void> }, directory: string) {
  client[Symbol.dispose]();
  await server.stop(0);
  await rm(directory, { recursive: true, force: true });
}

/** The test certificates as files; the server's is for `localhost`. */
async function writtenCertificates(directory: string): Promise<{ server: TlsFiles; client: TlsFiles }> {
  const { ca, server, clients } = testCertificates();
  const write = async (name: string, { cert, key }: { cert: string; key: string }): Promise<TlsFiles> => {
    const at = (end: string) => join(directory, `${name}.${end}`);
    await Promise.all([writeFile(at('ca'), ca), writeFile(at('crt'), cert), writeFile(at('key'), key)]);
    return { ca: at('ca'), cert: at('crt'), key: at('key') };
  };
  return { server: await write('server', server), client: await write('client', clients[0]) };
}
