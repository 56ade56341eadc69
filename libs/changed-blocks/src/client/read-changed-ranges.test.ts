import { type SnapshotMetadataService, serviceAccountType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, silentLogger, systemClock } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { fakeCluster, seededRandom, testCertificates } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { doubtReason } from '../doubt.ts';
import type { MetadataAnswer } from './metadata-checker.ts';
import { blocks, serveMetadata, type TestMetadataServer } from './metadata-server-for-tests.ts';
import { askLimits, type MetadataQuestion, readChangedRanges } from './read-changed-ranges.ts';

const never = new AbortController().signal;
const sizeBytes = 1000;
const question: MetadataQuestion = {
  driver: 'csi.example',
  serviceAccount: { namespace: 'velero', name: 'mover' },
  namespace: 'velero',
  snapshot: 'upload',
  baseHandle: 'snap-1',
  sizeBytes,
  chunkBytes: 64,
};
const { ca, otherCa, server: pair } = testCertificates();
/** With a certificate for localhost and 127.0.0.1. */
const serve = (answer: Parameters<typeof serveMetadata>[1], host?: string) => serveMetadata(pair, answer, host);

interface Setting {
  readonly version?: string;
  readonly host?: string;
  readonly authority?: string;
  readonly spec?: Record<string, unknown>;
  readonly mayHaveToken?: boolean;
  /** No message comes in time. */
  readonly isIdle?: boolean;
}

function world(
  { port }: { port: number },
  {
    version = 'v1beta1',
    host = 'localhost',
    authority = ca,
    spec = {},
    mayHaveToken = true,
    isIdle = false,
  }: Setting = {},
) {
  const caCert = Buffer.from(authority).toString('base64');
  const service: SnapshotMetadataService = {
    apiVersion: `cbt.storage.k8s.io/${version}`,
    kind: 'SnapshotMetadataService',
    metadata: { name: 'csi.example' },
    spec: { address: `${host}:${port}`, audience: 'csi-audience', caCert, ...spec },
  };
  const cluster = fakeCluster({ objects: [service] });
  const audiences: unknown[] = [];
  cluster.intercept(async (call, next) => {
    if (call.type !== serviceAccountType || call.subresource !== 'token') return await next();
    if (!mayHaveToken) throw kubeError('KUBE_FORBIDDEN', 'serviceaccounts "mover" is forbidden');
    audiences.push((call.body as { spec: { audiences: unknown } }).spec.audiences);
    return { metadata: {}, status: { token: `token-${audiences.length}` } };
  });
  const waits: number[] = [];
  // Waits between tries pass at once; the one for a message ends when it is called off, or at once.
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      if (ms < askLimits.idleMs) waits.push(ms);
      else if (!isIdle) await systemClock.sleep(ms, signal);
      else await systemClock.sleep(500, signal);
    },
    monotonicMs: () => (isIdle ? systemClock.monotonicMs() * askLimits.idleMs : systemClock.monotonicMs()),
  };
  const ports = { kube: cluster, clock, random: seededRandom(), log: silentLogger };
  const ask = async (change: Partial<MetadataQuestion> = {}, signal = never) =>
    [...(await readChangedRanges(ports, { ...question, ...change }, signal))].map(({ offset, length }) => [
      offset,
      length,
    ]);
  return { ask, audiences, waits };
}

const broken = (code: string) => new AppError(code, 'the test ends it');
async function* failingStream(code: string): AsyncGenerator<MetadataAnswer> {
  yield* [];
  throw broken(code);
}
const offsets = ({ asked }: TestMetadataServer) => asked.map(({ startingOffset }) => startingOffset);

describe('changed ranges', () => {
  it.each(['v1beta1', 'v1alpha1'])('are requested with a token for the audience, service of %s', async (version) => {
    await using server = await serve(async function* () {
      yield blocks(sizeBytes, [0, 10], [20, 10]);
      yield blocks(sizeBytes, [30, 10]);
    });
    const { ask, audiences } = world(server, { version });
    expect(await ask()).toEqual([
      [0, 10],
      [20, 20],
    ]);
    expect(audiences).toEqual([['csi-audience']]);
    expect(server.asked).toEqual([
      {
        securityToken: 'token-1',
        namespace: 'velero',
        baseSnapshotId: 'snap-1',
        targetSnapshotName: 'upload',
        startingOffset: 0n,
        maxResults: askLimits.blocksMax,
      },
    ]);
  });

  it('are all ranges with data when there is no base', async () => {
    await using server = await serve(async function* () {
      yield blocks(sizeBytes, [0, 10]);
    });
    const { baseHandle: _, ...rest } = question;
    const { ask } = world(server);
    expect(await ask({ ...rest, baseHandle: undefined } as never)).toEqual([[0, 10]]);
    expect(server.asked).toMatchObject([{ snapshotName: 'upload' }]);
  });

  it.each(['UNAVAILABLE', 'INTERNAL', 'ABORTED', 'DEADLINE_EXCEEDED', 'CANCELLED'])(
    'resume at the offset where a stream broke with %s',
    async (code) => {
      const all = [0, 100, 200, 300].map((offset) => [offset, 50] as const);
      await using server = await serve(async function* ({ startingOffset }) {
        const [next] = all.filter(([offset]) => BigInt(offset) >= startingOffset);
        yield blocks(sizeBytes, ...(next === undefined ? [] : [next]));
        if (next !== undefined) throw broken(code);
      });
      const { ask } = world(server);
      expect(await ask()).toEqual(all);
      expect(offsets(server)).toEqual([0n, 50n, 150n, 250n, 350n]);
    },
  );

  it('need no further stream when the broken one had reached the end of the volume', async () => {
    await using server = await serve(async function* () {
      yield blocks(sizeBytes, [900, 100]);
      throw broken('UNAVAILABLE');
    });
    expect(await world(server).ask()).toEqual([[900, 100]]);
    expect(server.asked).toHaveLength(1);
  });

  it('are unknown when streams break repeatedly without progress', async () => {
    await using server = await serve(async function* ({ startingOffset }) {
      if (startingOffset === 0n) yield blocks(sizeBytes, [0, 10]);
      throw broken('UNAVAILABLE');
    });
    const { ask, waits } = world(server);
    await expect(ask()).rejects.toMatchObject({ code: 'DELTA_CUT' });
    expect(offsets(server)).toEqual([0n, 10n, 10n, 10n, 10n]);
    expect(waits).toHaveLength(askLimits.attemptsMax - 1);
  });

  it('resume when no message arrives for too long', async () => {
    await using server = await serve(async function* ({ startingOffset }, { signal }) {
      if (startingOffset > 0n) yield blocks(sizeBytes, [40, 10]);
      else {
        yield blocks(sizeBytes, [0, 10]);
        await systemClock.sleep(60_000, signal);
      }
    });
    expect(await world(server, { isIdle: true }).ask()).toEqual([
      [0, 10],
      [40, 10],
    ]);
  });

  it('are requested with another token when the first one has expired', async () => {
    await using server = await serve(async function* ({ securityToken }) {
      if (securityToken === 'token-1') throw broken('UNAUTHENTICATED');
      yield blocks(sizeBytes, [0, 10]);
    });
    const { ask, audiences } = world(server);
    expect(await ask()).toEqual([[0, 10]]);
    expect(audiences).toHaveLength(2);
  });

  it('are requested with a new token only once', async () => {
    await using server = await serve(() => failingStream('UNAUTHENTICATED'));
    const { ask, audiences } = world(server);
    await expect(ask()).rejects.toMatchObject({ code: 'DELTA_TOKEN_REFUSED' });
    expect([audiences.length, server.asked.length]).toEqual([2, 2]);
  });

  it.each([
    ['NOT_FOUND', 'base snapshot gone'],
    ['INVALID_ARGUMENT', 'the driver refuses to compare the snapshots'],
    ['FAILED_PRECONDITION', 'the driver cannot tell the changed blocks'],
    ['UNIMPLEMENTED', 'the driver cannot tell the changed blocks'],
    ['OUT_OF_RANGE', 'changed blocks lie beyond the end of the volume'],
    ['PERMISSION_DENIED', 'we may not ask for changed blocks'],
    ['UNAVAILABLE', 'the SnapshotMetadata service of the driver does not answer'],
  ])('are unknown after %s: %s', async (code, reason) => {
    await using server = await serve(() => failingStream(code));
    const error = await world(server)
      .ask()
      .catch((thrown: unknown) => thrown);
    expect(doubtReason(error)).toBe(reason);
    expect(server.asked).toHaveLength(code === 'UNAVAILABLE' ? askLimits.attemptsMax : 1);
  });

  it('are rejected when they are not in order', async () => {
    await using server = await serve(async function* () {
      yield blocks(sizeBytes, [50, 10], [0, 10]);
    });
    await expect(world(server).ask()).rejects.toMatchObject({ code: 'DELTA_OUT_OF_ORDER' });
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['another CA has signed', { authority: otherCa, host: '127.0.0.1' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['is for another host', { host: '127.0.0.2' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('are not read from a server whose certificate %s, and it does not receive a token', async (_, setting, why) => {
    await using server = await serve(async function* () {
      yield blocks(sizeBytes, [0, 10]);
    }, setting.host);
    await expect(world(server, setting).ask()).rejects.toMatchObject({
      code: 'DELTA_CERTIFICATE_WRONG',
      message: expect.stringContaining(why),
    });
    expect(server.asked).toEqual([]);
  });

  it('are unknown when nothing listens', async () => {
    await expect(world({ port: 1 }).ask()).rejects.toMatchObject({ code: 'DELTA_SERVICE_AWAY' });
  });

  it.each([
    ['no address', { address: '' }, 'has no spec.address'],
    ['an address without a port', { address: 'localhost' }, '"localhost" is not a host and a port'],
    ['no authority', { caCert: undefined }, 'has no spec.caCert'],
    ['an authority that is none', { caCert: 'bm9uZQ==' }, 'is not a certificate'],
  ])('are unknown when the service object has %s', async (_, spec, why) => {
    await expect(world({ port: 1 }, { spec }).ask()).rejects.toMatchObject({
      code: 'DELTA_SERVICE_WRONG',
      message: expect.stringContaining(why),
    });
  });

  it('are unknown when the driver has no service, or no token is issued', async () => {
    await expect(world({ port: 1 }).ask({ driver: 'other.example' })).rejects.toMatchObject({
      code: 'DELTA_SERVICE_MISSING',
    });
    await expect(world({ port: 1 }, { mayHaveToken: false }).ask()).rejects.toMatchObject({
      code: 'DELTA_FORBIDDEN',
      nextStep: 'Allow the creation of serviceaccounts/token of mover in namespace velero.',
    });
  });

  it('end with the reason of the signal', async () => {
    const stop = new AbortController();
    await using server = await serve(async function* (_, { signal }) {
      yield blocks(sizeBytes, [0, 10]);
      stop.abort(new Error('told to stop'));
      await systemClock.sleep(60_000, signal);
    });
    await expect(world(server).ask({}, stop.signal)).rejects.toThrow('told to stop');
  });
});
