import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issue } from '@lateen/certificates';
import { freePorts } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import { execa } from 'execa';

export interface Emulator extends AsyncDisposable {
  /** Files of the emulator and its certificate; tests may add files. */
  directory: string;
  /** URL on loopback, with TLS. */
  port: number;
  /** The authority of its certificate, PEM. */
  caPem: string;
  /** Environment that sends every engine to the emulator, whatever host it requests, and trusts the certificate. */
  environment: Readonly<Record<string, string>>;
}

export interface EmulatorProgram {
  /** Host names for the certificate; 127.0.0.1 is always in it. */
  dnsNames: readonly string[];
  /** The program with its arguments and environment. */
  command(place: { directory: string; port: number; certificate: string; key: string }): {
    file: string;
    args: string[];
    env?: Record<string, string>;
  };
}

/** A cloud's emulator under that cloud's host names: engines reach it through a proxy, with real certificates. */
export async function startEmulator({ dnsNames, command }: EmulatorProgram): Promise<Emulator> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-emulator-'));
  const [port = 0] = await freePorts(1);
  const ca = await createAuthority('lateen emulator', systemClock.now());
  const request = { subject: 'CN=emulator', dnsNames, ipAddresses: ['127.0.0.1'] };
  const leaf = await issue(ca, request, systemClock.now());
  const [certificate, key, caFile] = [
    join(directory, 'tls.pem'),
    join(directory, 'tls.key'),
    join(directory, 'ca.pem'),
  ];
  await writeFile(certificate, leaf.certificate);
  await writeFile(key, leaf.key, { mode: 0o600 });
  await writeFile(caFile, ca.certificate);
  const { file, args, env = {} } = command({ directory, port, certificate, key });
  const options = {
    env: { PATH: process.env.PATH ?? '', HOME: directory, ...env },
    extendEnv: false,
    preferLocal: false,
  };
  const child = execa(file, args, { ...options, stdin: 'ignore', reject: false, all: true });
  const proxy = await startProxy(port);
  const stop = async () => {
    child.kill();
    await child;
    await proxy.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await Promise.race([answers(port), child.then(({ all }) => Promise.reject(new Error(`it ended: ${String(all)}`)))]);
  } catch (cause) {
    await stop();
    throw new Error(`${file} does not start`, { cause });
  }
  return {
    directory,
    port,
    caPem: ca.certificate,
    environment: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, SSL_CERT_FILE: caFile },
    [Symbol.asyncDispose]: stop,
  };
}

/** Connects every tunnel to one port on loopback. */
async function startProxy(target: number) {
  const server = createServer((_, response) => response.writeHead(405).end());
  const open = new Set<{ destroy(): unknown }>();
  server.on('connect', (_, client, head) => {
    const upstream = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (answered) return;
    await systemClock.sleep(50);
  }
  throw new Error(`nothing listens at port ${port}`);
}
