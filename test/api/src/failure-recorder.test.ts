import { type EngineRun, FailureRecorder } from '@lateen/instance-host';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type Engine, engineType, type Replica, replicaType, storageAnnotations } from '@lateen/storage-types';
import { storageKindDefinitions } from '@lateen/storage-types/definitions';
import { beforeAll, expect, it } from 'vitest';
import { applyDefinitions, storageDefinitions, untilServed } from './apply-definitions.ts';
import { describeWithApiServer } from './with-api-server.ts';

const apiVersion = 'longhorn.io/v1beta2';
const never = new AbortController().signal;
const at = Date.parse('2030-01-01T00:00:00Z');
const failure = { replica: 'v-r-b', cause: { kind: 'lost', message: 'connection lost' }, at, last: false };

await describeWithApiServer('failures of replicas are recorded on a real kube-apiserver', (under) => {
  let namespace = '';
  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube, storageDefinitions);
    for (const { type } of storageKindDefinitions) await untilServed(under.kube, type);
    const spec = { healthyAt: '2029-01-01T00:00:00Z' };
    for (const name of ['v-r-b', 'w-r-b'])
      await under.kube.create(replicaType, {
        apiVersion,
        kind: 'Replica',
        metadata: { name, namespace },
        spec,
      } as Replica);
  });

  async function engine(name: string, status?: Engine['status']): Promise<EngineRun> {
    const annotations = { [storageAnnotations.generation]: '7' };
    const made = await under.kube.create(engineType, {
      apiVersion,
      kind: 'Engine',
      metadata: { name, namespace, annotations },
      spec: {},
    } as Engine);
    if (status !== undefined) await under.kube.update(engineType, { ...made, status }, { subresource: 'status' });
    return { namespace, engine: name, uid: made.metadata.uid ?? '', generation: 7 };
  }
  const recorderOf = (run: EngineRun, objects = {}) => {
    const ports = { kube: under.kube, clock: systemClock, random: systemRandom, log: silentLogger };
    return new FailureRecorder(ports, { run, objects, stopping: new AbortController().signal });
  };
  const read = (name: string) => under.kube.get(engineType, { namespace, name });

  it('in the status of the Engine, guarded by one of its annotations, and in the Replica', async () => {
    const run = await engine('whole', {
      replicaModeMap: { 'v-r-a': 'RW', 'v-r-b': 'RW' },
      replicaTransitionTimeMap: { 'v-r-a': '2029-01-01T00:00:00Z' },
    });
    const recorder = recorderOf(run);
    await recorder.record(failure, never);
    expect((await read('whole')).status).toMatchObject({
      replicaModeMap: { 'v-r-a': 'RW', 'v-r-b': 'ERR' },
      replicaTransitionTimeMap: { 'v-r-a': '2029-01-01T00:00:00Z', 'v-r-b': '2030-01-01T00:00:00Z' },
    });
    await recorder.settled('v-r-b');
    expect(await under.kube.get(replicaType, { namespace, name: 'v-r-b' })).toMatchObject({
      metadata: { annotations: { [storageAnnotations.failureCause]: 'connection lost' } },
      spec: { failedAt: '2030-01-01T00:00:00Z', lastFailedAt: '2030-01-01T00:00:00Z' },
    });
  });

  it.each<[string, Engine['status']]>([
    ['no-status', undefined],
    ['null-map', { replicaModeMap: null, currentSize: '1' }],
    ['one-map', { replicaModeMap: { 'v-r-a': 'RW' } }],
  ])('in an Engine with %s', async (name, status) => {
    const run = await engine(name, status);
    const recorder = recorderOf(run, { 'v-r-b': 'w-r-b' });
    await recorder.record(failure, never);
    expect((await read(name)).status?.replicaModeMap).toEqual({ ...(status?.replicaModeMap ?? {}), 'w-r-b': 'ERR' });
    await recorder.settled('v-r-b');
  });

  it('not in another generation, and not in another Engine of that name', async () => {
    const status: Engine['status'] = { replicaModeMap: { 'v-r-b': 'RW' }, replicaTransitionTimeMap: {} };
    const run = await engine('over', status);
    const body = { metadata: { annotations: { [storageAnnotations.generation]: '8' } } };
    await under.kube.patch(engineType, { namespace, name: 'over' }, { type: 'merge', body });
    const over = { code: 'GENERATION_OVER' };
    await expect(recorderOf(run).record(failure, never)).rejects.toMatchObject(over);
    const other = { ...run, generation: 8, uid: 'another' };
    await expect(recorderOf(other).record(failure, never)).rejects.toMatchObject(over);
    await expect(recorderOf({ ...run, engine: 'none' }).record(failure, never)).rejects.toMatchObject(over);
    expect((await read('over')).status?.replicaModeMap).toEqual({ 'v-r-b': 'RW' });
  });

  it('in the generation that another client starts at the same time, or not at all', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `race-${round}`;
      const run = await engine(name, { replicaModeMap: { 'v-r-b': 'RW' }, replicaTransitionTimeMap: {} });
      const before = await read(name);
      const annotations = { ...before.metadata.annotations, [storageAnnotations.generation]: '8' };
      const [begun, recorded] = await Promise.allSettled([
        under.kube.update(engineType, { ...before, metadata: { ...before.metadata, annotations } }),
        recorderOf(run).record(failure, never),
      ]);
      // Step 3 of a start is guarded by what step 1 has read: one of the two must lose, or a failure could be missed.
      expect([begun.status, recorded.status].sort()).toEqual(['fulfilled', 'rejected']);
      const mode = (await read(name)).status?.replicaModeMap?.['v-r-b'];
      expect(mode).toBe(recorded.status === 'fulfilled' ? 'ERR' : 'RW');
    }
  });
});
