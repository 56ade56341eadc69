import { claimGeneration, type EngineRun, FailureRecorder, recordHealthy, recordWriting } from '@lateen/instance-host';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type Engine, engineType, type ReplicaMode, storageAnnotations } from '@lateen/storage-types';
import { storageKindDefinitions } from '@lateen/storage-types/definitions';
import { beforeAll, expect, it } from 'vitest';
import { applyDefinitions, storageDefinitions, untilServed } from './apply-definitions.ts';
import { describeWithApiServer } from './with-api-server.ts';

const never = new AbortController().signal;
const over = { code: 'GENERATION_OVER' };
const notNow = { code: 'NOT_POSSIBLE_NOW' };

await describeWithApiServer('claims and rebuilds of engines are recorded on a real kube-apiserver', (under) => {
  let namespace = '';
  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube, storageDefinitions);
    for (const { type } of storageKindDefinitions) await untilServed(under.kube, type);
  });

  const ports = () => ({ kube: under.kube, clock: systemClock, random: systemRandom, log: silentLogger });
  const read = (name: string) => under.kube.get(engineType, { namespace, name });

  async function engine(name: string, modes?: Record<string, ReplicaMode>): Promise<EngineRun> {
    const made = await under.kube.create(engineType, {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Engine',
      metadata: { name, namespace, annotations: { [storageAnnotations.generation]: '7' } },
      spec: {},
    } as Engine);
    const status: Engine['status'] = modes && { replicaModeMap: modes, replicaTransitionTimeMap: {} };
    if (status !== undefined) await under.kube.update(engineType, { ...made, status }, { subresource: 'status' });
    return { namespace, engine: name, uid: made.metadata.uid ?? '', generation: 7 };
  }
  const rebuilt = (run: EngineRun) => ({ run, object: 'v-r-b' });
  const fail = (run: EngineRun) => {
    const recorder = new FailureRecorder(ports(), { run, objects: {}, stopping: never });
    const cause = { kind: 'lost', message: 'connection lost' };
    return recorder.record({ replica: 'v-r-b', cause, at: systemClock.now(), last: false }, never);
  };

  it('a generation is claimed by one start, which may claim it again', async () => {
    const run = await engine('claimed');
    const claim = (start: string, of = run) => claimGeneration(ports(), { run: of, start }, never);
    await claim('first');
    await claim('first');
    await expect(claim('second')).rejects.toMatchObject(over);
    expect((await read('claimed')).metadata.annotations?.[storageAnnotations.claimed]).toBe('7 first');
    await expect(claim('third', { ...run, uid: 'another' })).rejects.toMatchObject(over);
    await expect(claim('third', { ...run, generation: 8 })).rejects.toMatchObject(over);
  });

  it('a generation is claimed by only one of two parallel starts, in every round', async () => {
    for (let round = 0; round < 5; round++) {
      const run = await engine(`claim-race-${round}`);
      const both = ['first', 'second'].map((start) => claimGeneration(ports(), { run, start }, never));
      const ends = await Promise.allSettled(both);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('a rebuild is recorded, whatever the status contains, and ends as healthy', async () => {
    for (const [name, modes] of Object.entries({ bare: undefined, other: { 'v-r-a': 'RW' } as const })) {
      const run = await engine(name, modes);
      await recordWriting(ports(), rebuilt(run), never);
      expect((await read(name)).status?.replicaModeMap).toEqual({ ...modes, 'v-r-b': 'WO' });
      await recordHealthy(ports(), rebuilt(run), never);
      expect((await read(name)).status).toMatchObject({
        replicaModeMap: { ...modes, 'v-r-b': 'RW' },
        replicaTransitionTimeMap: { 'v-r-b': expect.stringMatching(/Z$/) },
      });
    }
  });

  it('a replica is not recorded as healthy after a failure, nor in another generation', async () => {
    const failed = await engine('failed', { 'v-r-b': 'WO' });
    await fail(failed);
    await expect(recordHealthy(ports(), rebuilt(failed), never)).rejects.toMatchObject(notNow);
    await expect(recordWriting(ports(), rebuilt(failed), never)).rejects.toMatchObject(notNow);
    expect((await read('failed')).status?.replicaModeMap).toEqual({ 'v-r-b': 'ERR' });
    const raised = await engine('raised', { 'v-r-b': 'WO' });
    const body = { metadata: { annotations: { [storageAnnotations.generation]: '8' } } };
    await under.kube.patch(engineType, { namespace, name: 'raised' }, { type: 'merge', body });
    await expect(recordHealthy(ports(), rebuilt(raised), never)).rejects.toMatchObject(over);
  });

  it('a failure that is recorded at the same time as health remains at the end', async () => {
    for (let round = 0; round < 10; round++) {
      const run = await engine(`race-${round}`, { 'v-r-b': 'WO' });
      const [health, failure] = await Promise.allSettled([recordHealthy(ports(), rebuilt(run), never), fail(run)]);
      expect(failure.status).toBe('fulfilled');
      // Health was either recorded first, or is rejected: a recorded failure is never removed.
      if (health.status === 'rejected') expect(health.reason).toMatchObject(notNow);
      expect((await read(`race-${round}`)).status?.replicaModeMap).toEqual({ 'v-r-b': 'ERR' });
    }
  });
});
