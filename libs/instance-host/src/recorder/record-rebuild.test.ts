import { silentLogger } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { type Engine, engineType, storageAnnotations } from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { FailureRecorder } from './failure-recorder.ts';
import { recordHealthy, recordWriting } from './record-rebuild.ts';

const namespace = 'longhorn-system';
const key = { namespace, name: 'v-e-0' };
const never = new AbortController().signal;
const rebuilt = { run: { namespace, engine: 'v-e-0', uid: 'engine-uid', generation: 7 }, object: 'v-r-b' };
const notNow = { code: 'NOT_POSSIBLE_NOW', retry: 'later' };
const over = { code: 'GENERATION_OVER', retry: 'never' };

function world(modes?: Record<string, 'RW' | 'WO' | 'ERR'>) {
  const clock = new FakeClock('2030-01-01T00:00:05Z');
  const engine: Engine = {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Engine',
    metadata: { ...key, uid: 'engine-uid', annotations: { [storageAnnotations.generation]: '7' } },
    spec: {},
    ...(modes === undefined ? {} : { status: { replicaModeMap: modes, replicaTransitionTimeMap: {} } }),
  };
  const cluster = fakeCluster({ clock, objects: [engine] });
  const ports = { kube: cluster, clock, random: seededRandom(), log: silentLogger };
  const healthy = (signal = never) => recordHealthy(ports, rebuilt, signal);
  const writing = (signal = never) => recordWriting(ports, rebuilt, signal);
  const recorder = new FailureRecorder(ports, { run: rebuilt.run, objects: {}, stopping: never });
  const fail = (at: number) =>
    recorder.record({ replica: 'v-r-b', cause: { kind: 'lost', message: 'lost' }, at, last: false }, never);
  const modesNow = async () => (await cluster.get(engineType, key)).status?.replicaModeMap;
  const setStatus = (body: Engine['status']) =>
    cluster.patch(engineType, key, { type: 'merge', body: { status: body } }, { subresource: 'status' });
  return { clock, cluster, healthy, writing, fail, modesNow, setStatus };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await letWorkRun();
    await clock.advance(1_000);
  }
  await letWorkRun();
}

describe('recording the rebuild of a replica', () => {
  it('writes WO first, and healthy with the time only over WO', async () => {
    const { cluster, writing, healthy } = world({ 'v-r-a': 'RW' });
    await writing();
    await writing();
    expect((await cluster.get(engineType, key)).status).toMatchObject({
      replicaModeMap: { 'v-r-a': 'RW', 'v-r-b': 'WO' },
      replicaTransitionTimeMap: { 'v-r-b': '2030-01-01T00:00:05Z' },
    });
    await healthy();
    await healthy();
    expect((await cluster.get(engineType, key)).status?.replicaModeMap).toEqual({ 'v-r-a': 'RW', 'v-r-b': 'RW' });
  });

  it('writes into an Engine without modes', async () => {
    const { writing, modesNow } = world();
    await writing();
    expect(await modesNow()).toEqual({ 'v-r-b': 'WO' });
  });

  it.each(['ERR', 'RW'] as const)('fails when the Engine has it as %s', async (mode) => {
    const { writing, modesNow } = world({ 'v-r-b': mode });
    await expect(writing()).rejects.toMatchObject(notNow);
    expect(await modesNow()).toEqual({ 'v-r-b': mode });
  });

  it.each(['ERR', undefined] as const)('does not record healthy over %s', async (mode) => {
    const { healthy, modesNow } = world(mode === undefined ? {} : { 'v-r-b': mode });
    await expect(healthy()).rejects.toMatchObject(notNow);
    expect((await modesNow())?.['v-r-b']).toBe(mode);
  });

  it.each([
    ['under another generation', { metadata: { annotations: { [storageAnnotations.generation]: '8' } } }],
    ['when the Engine cannot be read', { metadata: { annotations: { [storageAnnotations.generation]: 'x' } } }],
  ])('does not record healthy %s', async (_, body) => {
    const { cluster, healthy, modesNow } = world({ 'v-r-b': 'WO' });
    await cluster.patch(engineType, key, { type: 'merge', body });
    await expect(healthy()).rejects.toMatchObject(over);
    expect(await modesNow()).toEqual({ 'v-r-b': 'WO' });
  });

  it('does not record healthy in another Engine of that name', async () => {
    const { cluster, healthy } = world({ 'v-r-b': 'WO' });
    const { status, ...before } = await cluster.get(engineType, key);
    await cluster.delete(engineType, key);
    const { resourceVersion: _, ...metadata } = before.metadata;
    await cluster.create(engineType, { ...before, metadata: { ...metadata, uid: 'another' } });
    await cluster.patch(engineType, key, { type: 'merge', body: { status } }, { subresource: 'status' });
    await expect(healthy()).rejects.toMatchObject(over);
  });
});

describe('a late record of health', () => {
  /** Runs `meanwhile` while the patch is in progress. */
  async function late(meanwhile: (made: ReturnType<typeof world>) => Promise<unknown>) {
    const made = world({ 'v-r-b': 'WO' });
    let isFirst = true;
    made.cluster.intercept(async ({ verb }, next) => {
      if (verb === 'patch' && isFirst) {
        isFirst = false;
        await meanwhile(made);
      }
      return next();
    });
    const end = made.healthy().then(
      () => 'recorded',
      (error: { code: string }) => error.code,
    );
    await pass(made.clock, 3_000);
    return { end: await end, modes: await made.modesNow() };
  }

  it('has no effect after the record of a failure', async () => {
    expect(await late(({ fail }) => fail(1))).toEqual({ end: 'NOT_POSSIBLE_NOW', modes: { 'v-r-b': 'ERR' } });
  });

  it('is retried when something else has changed', async () => {
    const { end, modes } = await late(({ setStatus }) => setStatus({ currentSize: '5' }));
    expect({ end, modes }).toEqual({ end: 'recorded', modes: { 'v-r-b': 'RW' } });
  });

  it('has no effect in a later rebuild of the same replica', async () => {
    const made = world({ 'v-r-b': 'WO' });
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<string>();
    let isFirst = true;
    made.cluster.intercept(async ({ verb }, next) => {
      if (verb !== 'patch' || !isFirst) return next();
      isFirst = false;
      await held.promise;
      const answer = next();
      answer.then(
        () => arrived.resolve('done'),
        () => arrived.resolve('refused'),
      );
      return answer;
    });
    const stop = new AbortController();
    const first = expect(made.healthy(stop.signal)).rejects.toThrow('the pause has ended');
    await letWorkRun();
    stop.abort(new Error('the pause has ended'));
    await first;
    await made.fail(1);
    await made.setStatus({ replicaModeMap: { 'v-r-b': null as never } });
    await made.writing();
    held.resolve();
    expect(await arrived.promise).toBe('refused');
    expect(await made.modesNow()).toEqual({ 'v-r-b': 'WO' });
  });
});

it('waits for the API server until it is aborted', async () => {
  const { clock, cluster, healthy } = world({ 'v-r-b': 'WO' });
  cluster.intercept(async () => {
    throw kubeError('KUBE_UNAVAILABLE', 'no connection');
  });
  const stop = new AbortController();
  const recording = expect(healthy(stop.signal)).rejects.toThrow('enough');
  await pass(clock, 20_000);
  stop.abort(new Error('enough'));
  await recording;
});
