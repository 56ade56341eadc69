import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveTcp, serveUnix, type TlsFiles } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { testCertificates } from '@lateen/testing';
import { connectInstanceHost, connectInstanceHostUnix } from '../host-client.ts';
import { instanceService } from '../instance-service.ts';
import { describeInstanceHost } from './describe-instance-host.ts';

const clock = systemClock;
const options = () => ({ log: silentLogger, clock, stopping: new AbortController().signal });

describeInstanceHost('the host itself', async (host) => ({ host, end: async () => {} }));

describeInstanceHost('over a unix socket', async (scripted) => {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-instance-'));
  const endpoint = `unix://${join(directory, 'instance.sock')}`;
  const server = await serveUnix(endpoint, [instanceService(scripted, options())], clock);
  const host = connectInstanceHostUnix(endpoint, { clock });
  const end = async () => {
    host[Symbol.dispose]();
    await server.stop(0);
    await rm(directory, { recursive: true, force: true });
  };
  return { host, end };
});

describeInstanceHost('over TCP with TLS of both sides', async (scripted) => {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-instance-'));
  const { server: serverFiles, client } = await writtenCertificates(directory);
  const place = { host: '127.0.0.1', port: 0, tls: serverFiles };
  const server = await serveTcp(place, [instanceService(scripted, options())], clock);
  const peer = { host: '127.0.0.1', port: server.port, tls: client, serverName: 'localhost' };
  const host = await connectInstanceHost(peer, { clock });
  const end = async () => {
    host[Symbol.dispose]();
    await server.stop(0);
    await rm(directory, { recursive: true, force: true });
  };
  return { host, end };
});

/** The certificates of tests as files; the server's is for `localhost`. */
async function writtenCertificates(directory: string): Promise<{ server: TlsFiles; client: TlsFiles }> {
  const { ca, server, clients } = testCertificates();
  const write = async (name: string, { cert, key }: { cert: string; key: string }): Promise<TlsFiles> => {
    const at = (end: string) => join(directory, `${name}.${end}`);
    await Promise.all([writeFile(at('ca'), ca), writeFile(at('crt'), cert), writeFile(at('key'), key)]);
    return { ca: at('ca'), cert: at('crt'), key: at('key') };
  };
  return { server: await write('server', server), client: await write('client', clients[0]) };
}
