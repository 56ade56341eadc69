import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connect, createServer, type Server } from 'node:tls';
import { type SnapshotMetadataService, secretType, snapshotMetadataServiceTypes } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { kubeError, type Unstructured } from '@lateen/kube';
import { aNamespace, FakeClock, FakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { ensureCertificate, tlsTextsOf } from '@lateen/volume-controllers/certificate';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { metadataCertificate, prepareMetadataService } from './keep-metadata-service.ts';
import { TlsFront } from './tls-front.ts';

const namespace = 'lateen-csi';
const driver = 'csi.example';
const service = 'metadata';
const secret = { namespace, name: 'metadata-tls' };
const [newest, oldest] = snapshotMetadataServiceTypes;
const dayMs = 86_400_000;

let directory: string;
let cluster: FakeCluster;
let clock: FakeClock;
let sidecar: Server;
let port: number;
let stop: AbortController;
let running: Promise<void>;
let log: ReturnType<typeof recordingLog>;

const object = (apiVersion: string, kind: string, metadata: object, rest: object = {}) =>
  ({ apiVersion, kind, metadata, ...rest }) as Unstructured;
const withAddress = (clusterIP: string) =>
  object('v1', 'Service', { namespace, name: service }, { spec: { clusterIP, ports: [{ port: 6443 }] } });
const announced = (type: typeof newest = newest): SnapshotMetadataService | undefined =>
  cluster.find(type, { name: driver });
const authorities = () => Buffer.from(announced()?.spec.caCert ?? '', 'base64').toString();

/** A free port on loopback; no other process takes it, because these tests run one after another. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** The answer for a caller that trusts these authorities and uses this name or address; otherwise the error code. */
async function heard(by: string, ca = authorities()): Promise<string> {
  const name = /^[\d.]+$/.test(by) ? {} : { servername: by };
  const socket = connect({ host: /^[\d.]+$/.test(by) ? by : '127.0.0.1', port, ca, ...name, ALPNProtocols: ['h2'] });
  let text = '';
  try {
    for await (const chunk of socket) text += chunk;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
  return text;
}

/** Passes time until the condition holds: the platform creates keys on other threads. */
async function passing(holds: () => boolean, stepMs = 200): Promise<void> {
  while (!holds()) {
    await setImmediate();
    await clock.advance(stepMs);
  }
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-metadata-'));
  // TLS checks the time of the platform.
  clock = new FakeClock(systemClock.now());
  const csiDriver = object('storage.k8s.io/v1', 'CSIDriver', { name: driver, uid: 'driver-uid' });
  const objects = [aNamespace({ metadata: { name: namespace } }), withAddress('127.0.0.1'), csiDriver];
  cluster = new FakeCluster({ clock, objects });
  log = recordingLog();
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await running;
  sidecar?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts what the driver starts, and a sidecar with the current certificate. */
async function start(): Promise<void> {
  port = await freePort();
  const inner = await freePort();
  const place = { service, directory, port };
  const prepared = await prepareMetadataService({ driver, place, sidecarPort: inner }, clock);
  const [cert, key] = await Promise.all(['tls.crt', 'tls.key'].map((name) => readFile(join(directory, name))));
  sidecar = createServer({ cert, key, ALPNProtocols: ['h2'] } as never, (socket) => socket.end('blocks'));
  sidecar.listen(inner, '127.0.0.1');
  running = prepared.keep({ kube: cluster, namespace, clock, random: seededRandom(), log }, stop.signal);
}

it('publishes the address, the audience and the authority of a driver, and its callers reach the sidecar', async () => {
  await start();
  await passing(() => announced() !== undefined);
  expect(announced()).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'CSIDriver', name: driver, uid: 'driver-uid' }] },
    spec: { address: '127.0.0.1:6443', audience: driver },
  });
  expect(await heard('127.0.0.1')).toBe('blocks');
  expect(await heard('metadata.lateen-csi.svc')).toBe('blocks');
  expect(await heard('other.lateen-csi.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  // Secrets of other users have the label of their creator; this one is no key for instance managers.
  expect(cluster.find(secretType, secret)?.metadata.labels).toMatchObject({
    'app.kubernetes.io/managed-by': 'lateen-volume-manager',
  });
  expect(Object.keys(cluster.find(secretType, secret)?.data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
});

it('uses the version of the kind that the cluster serves, and reports when it serves none', async () => {
  const unknown = new Set<string>([newest.version, oldest.version]);
  cluster.intercept(async (call, next) => {
    if (call.type.kind === newest.kind && unknown.has(call.type.version))
      throw kubeError('KUBE_NOT_FOUND', 'the server could not find the requested resource');
    return await next();
  });
  await start();
  await passing(() => log.lines.some(({ level }) => level === 'warn'));
  expect(String(log.lines.find(({ level }) => level === 'warn')?.fields.err)).toContain('SnapshotMetadataService');
  unknown.delete(oldest.version);
  await passing(() => announced(oldest) !== undefined, 60_000);
  expect(announced(oldest)?.apiVersion).toBe('cbt.storage.k8s.io/v1alpha1');
});

it('uses a renewed certificate without a restart of the sidecar', async () => {
  const kept = metadataCertificate(service, namespace, '127.0.0.1');
  const earlier = new FakeClock(clock.now() - 310 * dayMs);
  await ensureCertificate({ kube: cluster, namespace, clock: earlier, random: seededRandom(), log, kept }, stop.signal);
  const texts = () => tlsTextsOf(cluster.find(secretType, secret) ?? {});
  const { certificate: first, authorities: ofFirst } = texts();
  await start();
  await passing(() => announced() !== undefined);
  // A caller that has read the object before trusts only the first authority, and still gets an answer.
  expect([texts().certificate, authorities()]).not.toEqual([first, ofFirst]);
  expect(await heard('127.0.0.1', ofFirst)).toBe('blocks');
  await passing(
    () => log.lines.filter(({ message }) => message.startsWith('a certificate is shown')).length === 2,
    600_000,
  );
  expect(texts().certificate).not.toBe(first);
  expect(await heard('127.0.0.1', ofFirst)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  expect(await heard('127.0.0.1')).toBe('blocks');
});

it('uses a certificate for another address when the Service has one', async () => {
  await start();
  await passing(() => announced() !== undefined);
  cluster.put(withAddress('127.0.0.2'));
  await passing(() => announced()?.spec.address === '127.0.0.2:6443', 60_000);
  expect(await heard('127.0.0.2')).toBe('blocks');
});

it('closes connections while the sidecar is not reachable, and continues', async () => {
  await start();
  await passing(() => announced() !== undefined);
  sidecar.close();
  await new Promise((resolve) => sidecar.once('close', resolve));
  expect(await heard('127.0.0.1')).toMatch(/^(|ECONNRESET)$/);
  expect(running).toBeInstanceOf(Promise);
});

it('names a port that is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port: used } = taken.address() as AddressInfo;
  const options = { host: '127.0.0.1', port: used, sidecar: { port: 1, ca: '' }, log };
  await expect(TlsFront.listen(options, { certificate: '', key: '' })).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  taken.close();
});
