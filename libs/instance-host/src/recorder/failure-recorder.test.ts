import { silentLogger } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { type Engine, engineType, type Replica, replicaType, storageAnnotations } from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { FailureRecorder } from './failure-recorder.ts';

const namespace = 'longhorn-system';
const at = Date.parse('2030-01-01T00:00:00Z');
const never = new AbortController().signal;
const apiVersion = 'longhorn.io/v1beta2';

const engineObject = (status?: Engine['status']): Engine => ({
  apiVersion,
  kind: 'Engine',
  metadata: { name: 'v-e-0', namespace, uid: 'engine-uid', annotations: { [storageAnnotations.generation]: '7' } },
  spec: {},
  ...(status === undefined ? {} : { status }),
});
const maps = (): Engine['status'] => ({
  replicaModeMap: { 'v-r-a': 'RW', 'v-r-b': 'RW' },
  replicaTransitionTimeMap: { 'v-r-a': '2029-01-01T00:00:00Z' },
});
const replicaObject = (spec: Replica['spec'] = {}): Replica => ({
  apiVersion,
  kind: 'Replica',
  metadata: { name: 'v-r-b', namespace },
  spec: { healthyAt: '2029-01-01T00:00:00Z', ...spec },
});
const failure = { replica: 'v-r-b', cause: { kind: 'lost', message: 'connection lost' }, at, last: false };

function world({ engine = engineObject(maps()), replica = replicaObject() } = {}) {
  const clock = new FakeClock('2030-01-01T00:00:05Z');
  const cluster = fakeCluster({ clock, objects: [engine, replica] });
  const stop = new AbortController();
  const run = { namespace, engine: 'v-e-0', uid: 'engine-uid', generation: 7 };
  const ports = { kube: cluster, clock, random: seededRandom(), log: silentLogger };
  const recorder = new FailureRecorder(ports, { run, objects: {}, stopping: stop.signal });
  const engineNow = () => cluster.get(engineType, { namespace, name: 'v-e-0' });
  const replicaNow = () => cluster.get(replicaType, { namespace, name: 'v-r-b' });
  const setGeneration = (value: string) => {
    const body = { metadata: { annotations: { [storageAnnotations.generation]: value } } };
    return cluster.patch(engineType, { namespace, name: 'v-e-0' }, { type: 'merge', body });
  };
  return { clock, cluster, recorder, stop, engineNow, replicaNow, setGeneration };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await letWorkRun();
    await clock.advance(1_000);
  }
  await letWorkRun();
}

describe('recording a failure', () => {
  it('writes it to the Engine, without changing other replicas, and then to the Replica with its cause', async () => {
    const { recorder, engineNow, replicaNow } = world();
    await recorder.record(failure, never);
    expect((await engineNow()).status).toMatchObject({
      replicaModeMap: { 'v-r-a': 'RW', 'v-r-b': 'ERR' },
      replicaTransitionTimeMap: { 'v-r-a': '2029-01-01T00:00:00Z', 'v-r-b': '2030-01-01T00:00:00Z' },
    });
    await recorder.settled('v-r-b');
    expect(await replicaNow()).toMatchObject({
      metadata: { annotations: { [storageAnnotations.failureCause]: 'connection lost' } },
      spec: { failedAt: '2030-01-01T00:00:00Z', lastFailedAt: '2030-01-01T00:00:00Z', healthyAt: expect.any(String) },
    });
  });

  it.each<[string, Engine['status']]>([
    ['no status', undefined],
    ['an empty status', {}],
    ['maps that are null', { replicaModeMap: null }],
    ['only one of two maps', { replicaModeMap: { 'v-r-a': 'RW' } }],
  ])('works when the Engine has %s', async (_what, status) => {
    const { recorder, engineNow } = world({ engine: engineObject(status) });
    await recorder.record(failure, never);
    expect((await engineNow()).status?.replicaModeMap).toEqual({ ...(status?.replicaModeMap ?? {}), 'v-r-b': 'ERR' });
  });

  it('resolves only when the API server has the failure, however long that takes', async () => {
    const { recorder, cluster, clock, engineNow } = world();
    let away = true;
    cluster.intercept(async ({ verb }, next) => {
      if (away && verb === 'patch') throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    let settled = false;
    const recording = recorder.record(failure, never).then(() => {
      settled = true;
    });
    await pass(clock, 600_000);
    expect(settled).toBe(false);
    away = false;
    await pass(clock, 6_000);
    await recording;
    expect((await engineNow()).status?.replicaModeMap?.['v-r-b']).toBe('ERR');
  });

  it('writes once for repeated requests, and continues after a caller has aborted', async () => {
    const { recorder, cluster, clock, engineNow } = world();
    let patches = 0;
    cluster.intercept(async ({ verb, type }, next) => {
      if (verb !== 'patch' || type.kind !== 'Engine') return next();
      patches += 1;
      if (patches === 1) throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    const gone = new AbortController();
    const first = recorder.record(failure, gone.signal);
    gone.abort(new Error('the attempt took too long'));
    await expect(first).rejects.toThrow('took too long');
    const again = recorder.record(failure, never);
    await pass(clock, 1_000);
    await again;
    expect(patches).toBe(2);
    expect((await engineNow()).status?.replicaModeMap?.['v-r-b']).toBe('ERR');
  });

  it('writes nothing for the last replica, which has every acknowledged write', async () => {
    const { recorder, engineNow, replicaNow } = world();
    await recorder.record({ ...failure, last: true }, never);
    expect((await engineNow()).status?.replicaModeMap?.['v-r-b']).toBe('RW');
    expect((await replicaNow()).spec.failedAt).toBeUndefined();
  });
});

it('writes again when a replica was reused and fails again in the same generation', async () => {
  const { recorder, cluster, engineNow, replicaNow } = world();
  await recorder.record(failure, never);
  await recorder.settled('v-r-b');
  const back = { status: { replicaModeMap: { 'v-r-b': 'RW' } } };
  const engine = { namespace, name: 'v-e-0' };
  await cluster.patch(engineType, engine, { type: 'merge', body: back }, { subresource: 'status' });
  await cluster.patch(replicaType, { namespace, name: 'v-r-b' }, { type: 'merge', body: { spec: { failedAt: '' } } });
  await recorder.record({ ...failure, at: at + 60_000 }, never);
  await recorder.settled('v-r-b');
  expect((await engineNow()).status?.replicaModeMap?.['v-r-b']).toBe('ERR');
  expect((await replicaNow()).spec.failedAt).toBe('2030-01-01T00:01:00Z');
});

describe('GENERATION_OVER', () => {
  it.each(['8', '6', ''])(
    'is returned when the Engine is at generation "%s", and nothing is written',
    async (generation) => {
      const { recorder, setGeneration, engineNow, replicaNow } = world();
      await setGeneration(generation);
      await expect(recorder.record(failure, never)).rejects.toMatchObject({ code: 'GENERATION_OVER', retry: 'never' });
      expect((await engineNow()).status?.replicaModeMap?.['v-r-b']).toBe('RW');
      expect((await replicaNow()).spec.failedAt).toBeUndefined();
    },
  );

  it('is returned when the Engine is gone, or another one has its name', async () => {
    const { recorder, cluster } = world();
    await cluster.delete(engineType, { namespace, name: 'v-e-0' });
    await expect(recorder.record(failure, never)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    const engine = engineObject(maps());
    const other = world({ engine: { ...engine, metadata: { ...engine.metadata, uid: 'another' } } });
    await expect(other.recorder.record(failure, never)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
  });

  it('is returned when the generation changes while the API server is unavailable', async () => {
    const { recorder, cluster, clock, setGeneration } = world();
    let away = true;
    cluster.intercept(async ({ verb, subresource }, next) => {
      if (away && verb === 'patch' && subresource === 'status') throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    const recording = expect(recorder.record(failure, never)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    await pass(clock, 30_000);
    await setGeneration('8');
    away = false;
    await pass(clock, 6_000);
    await recording;
  });
});

describe('recording a late failure leaves the Replica unchanged', () => {
  const late = async (change: (made: ReturnType<typeof world>) => Promise<unknown>) => {
    const made = world();
    let away = true;
    made.cluster.intercept(async ({ verb, type }, next) => {
      if (away && verb === 'patch' && type.kind === 'Replica') throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    await made.recorder.record(failure, never);
    await pass(made.clock, 10_000);
    away = false;
    await change(made);
    await pass(made.clock, 10_000);
    await made.recorder.settled('v-r-b');
    return (await made.replicaNow()).spec;
  };
  const key = { namespace, name: 'v-r-b' };

  it('when a later start rebuilt it meanwhile, because an old failure must not follow a recovery', async () => {
    expect((await late(({ setGeneration }) => setGeneration('8'))).failedAt).toBeUndefined();
  });

  it('when the same engine has reused it', async () => {
    const spec = await late(({ cluster }) => {
      const body = { status: { replicaModeMap: { 'v-r-b': 'RW' } } };
      const engine = { namespace, name: 'v-e-0' };
      return cluster.patch(engineType, engine, { type: 'merge', body }, { subresource: 'status' });
    });
    expect(spec.failedAt).toBeUndefined();
  });

  it('when another process has recorded the failure, with its time', async () => {
    const spec = await late(({ cluster }) => {
      const body = { spec: { failedAt: '2030-01-01T00:00:01Z' } };
      return cluster.patch(replicaType, key, { type: 'merge', body });
    });
    expect(spec.failedAt).toBe('2030-01-01T00:00:01Z');
  });

  it('when the Replica is gone', async () => {
    const { recorder, cluster } = world();
    await cluster.delete(replicaType, key);
    await recorder.record(failure, never);
    await recorder.settled('v-r-b');
  });
});
