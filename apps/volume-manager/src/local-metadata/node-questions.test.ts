import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Secret } from '@lateen/api-types';
import { createAuthority, issue } from '@lateen/certificates';
import { csi } from '@lateen/csi';
import { makeService } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { aPod, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { idForName, volumeError } from '@lateen/volume';
import { certificateFilesIn, writeCertificateFiles } from '@lateen/volume-controllers/certificate';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FoundSnapshot, snapshotMetadataHandlers } from '../csi/snapshot-metadata-service.ts';
import { serveNodeBlocks } from '../local/serve-node-blocks.ts';
import { nodeQuestions } from './node-questions.ts';

const namespace = 'lateen-csi';
const serverName = 'lateen-csi-metadata';
const labels = { 'app.kubernetes.io/name': 'lateen-csi' };
const context = { signal: new AbortController().signal, log: silentLogger, header: () => undefined };
const hosts = { one: '127.0.0.2', two: '127.0.0.3' } as const;
type Node = keyof typeof hosts;

let directory: string;
let port: number;
let stop: AbortController;
let serving: Promise<void>[];
let cluster: ReturnType<typeof fakeCluster>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-nodes-'));
  const probe = createServer().listen(0, hosts.one);
  await new Promise((resolve) => probe.once('listening', resolve));
  ({ port } = probe.address() as AddressInfo);
  await new Promise((resolve) => probe.close(resolve));
  stop = new AbortController();
  serving = [];
  cluster = fakeCluster();
});
afterEach(async () => {
  stop.abort();
  await Promise.all(serving);
  await rm(directory, { recursive: true, force: true });
});

async function writeCertificate(folder: string, name = serverName): Promise<void> {
  const now = systemClock.now();
  const authority = await createAuthority('ca', now);
  const pair = await issue(authority, { subject: `CN=${name}`, dnsNames: [name] }, now);
  const texts = { 'ca.crt': authority.certificate, 'tls.crt': pair.certificate, 'tls.key': pair.key };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  await writeCertificateFiles(join(directory, folder), { data } as Secret, { random: seededRandom(), ...context });
}

const snapshotOf = (node: Node, name = 'a') => idForName('snapshot', name, node);

/** The driver of a node that has the snapshots `a` and `b`; its pod is in the API. */
function startNode(node: Node, folder = 'tls', log = recordingLog()) {
  const known = [snapshotOf(node, 'a'), snapshotOf(node, 'b')];
  const handlers = snapshotMetadataHandlers<FoundSnapshot>({
    find: async (id) => {
      if (!known.includes(id)) throw volumeError('NOT_FOUND', `there is no snapshot ${id}`);
      return { volume: node, sizeBytes: 1_000_000n };
    },
    extents: async function* (_, { since, startBytes }) {
      yield { startBytes: since === undefined ? startBytes : 500n, lengthBytes: node === 'one' ? 100n : 200n };
    },
  });
  const stopping = new AbortController().signal;
  const service = makeService(csi.SnapshotMetadataService, handlers, {
    log: silentLogger,
    clock: systemClock,
    stopping,
  });
  const place = { host: hosts[node], port, certificates: join(directory, folder) };
  serving.push(serveNodeBlocks(place, service, { log, clock: systemClock, random: seededRandom() }, stop.signal));
  cluster.put(
    aPod({
      metadata: { namespace, name: `lateen-csi-${node}`, labels },
      spec: { nodeName: node },
      status: { phase: 'Running', podIP: hosts[node] },
    }),
  );
  return log;
}

const questions = (folder = 'tls') =>
  nodeQuestions({
    kube: cluster,
    namespace,
    podSelector: 'app.kubernetes.io/name=lateen-csi',
    port,
    tls: certificateFilesIn(join(directory, folder)),
    serverName,
  });
type Stream = AsyncIterable<{ blockMetadata: csi.BlockMetadata[] }> | undefined;
const told = async (stream: Stream) => {
  try {
    const messages = await Array.fromAsync(stream ?? []);
    return messages.flatMap(({ blockMetadata }) => blockMetadata.map((it) => `${it.byteOffset}+${it.sizeBytes}`));
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const rest = { startingOffset: 0n, maxResults: 0, secrets: {} };
const allocated = (snapshotId: string, folder?: string) =>
  told(questions(folder).getMetadataAllocated?.({ ...rest, snapshotId }, context) as Stream);
const delta = (baseSnapshotId: string, targetSnapshotId: string) =>
  told(questions().getMetadataDelta?.({ ...rest, baseSnapshotId, targetSnapshotId }, context) as Stream);

it('asks the node that has the snapshot, and returns its answer', async () => {
  await writeCertificate('tls');
  startNode('one');
  startNode('two');
  await expect.poll(() => allocated(snapshotOf('one'))).toEqual(['0+100']);
  await expect.poll(() => allocated(snapshotOf('two'))).toEqual(['0+200']);
  expect(await delta(snapshotOf('two', 'a'), snapshotOf('two', 'b'))).toEqual(['500+200']);
  // A base that does not exist, on the same node and on another one.
  expect(await delta(snapshotOf('two', 'gone'), snapshotOf('two', 'b'))).toBe('NOT_FOUND');
  expect(await delta(snapshotOf('one', 'a'), snapshotOf('two', 'b'))).toBe('NOT_FOUND');
  expect(await allocated(snapshotOf('one', 'gone'))).toBe('NOT_FOUND');
  expect(await allocated('what')).toBe('NOT_FOUND');
  expect(await allocated(idForName('volume', 'a', 'one'))).toBe('NOT_FOUND');
  expect(await allocated('')).toBe('INVALID_ARGUMENT');
});

it('reports that the driver of a node does not run, and tries again with the next request', async () => {
  await writeCertificate('tls');
  expect(await allocated(snapshotOf('one'))).toBe('UNAVAILABLE');
  startNode('one');
  await expect.poll(() => allocated(snapshotOf('one'))).toEqual(['0+100']);
});

it('waits for the certificate, on both sides', async () => {
  const log = startNode('one');
  expect(await allocated(snapshotOf('one'))).toBe('UNAVAILABLE');
  await expect.poll(() => log.lines.length).toBe(1);
  await writeCertificate('tls');
  await expect.poll(() => allocated(snapshotOf('one')), { timeout: 10_000 }).toEqual(['0+100']);
});

it('rejects, and is rejected with, a certificate of another authority', async () => {
  await Promise.all([writeCertificate('tls'), writeCertificate('other')]);
  startNode('one');
  await expect.poll(() => allocated(snapshotOf('one'))).toEqual(['0+100']);
  expect(await allocated(snapshotOf('one'), 'other')).toBe('UNAVAILABLE');
});
