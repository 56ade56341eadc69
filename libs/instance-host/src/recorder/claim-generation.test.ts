import { silentLogger } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { type Engine, engineType, storageAnnotations } from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { claimGeneration } from './claim-generation.ts';

const namespace = 'longhorn-system';
const never = new AbortController().signal;
const over = { code: 'GENERATION_OVER', retry: 'never' };
const key = { namespace, name: 'v-e-0' };

function world() {
  const clock = new FakeClock('2030-01-01T00:00:05Z');
  const engine: Engine = {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Engine',
    metadata: {
      ...{ name: 'v-e-0', namespace, uid: 'engine-uid' },
      annotations: { [storageAnnotations.generation]: '7' },
    },
    spec: {},
  };
  const cluster = fakeCluster({ clock, objects: [engine] });
  const ports = { kube: cluster, clock, random: seededRandom(), log: silentLogger };
  const claim = (start: string, generation = 7, signal = never) =>
    claimGeneration(ports, { run: { namespace, engine: 'v-e-0', uid: 'engine-uid', generation }, start }, signal);
  const begin = (generation: string) => {
    const body = { metadata: { annotations: { [storageAnnotations.generation]: generation } } };
    return cluster.patch(engineType, key, { type: 'merge', body });
  };
  return { clock, cluster, claim, begin };
}

describe('the generation for a start of an engine', () => {
  it('is given to the start again when it repeats the request', async () => {
    const { claim, cluster } = world();
    await claim('first');
    await claim('first');
    const { metadata } = await cluster.get(engineType, key);
    expect(metadata.annotations).toMatchObject({
      [storageAnnotations.generation]: '7',
      [storageAnnotations.claimed]: '7 first',
    });
  });

  it('is refused when another start has it, whether that one still lives or not', async () => {
    const { claim, begin } = world();
    await claim('first');
    await expect(claim('second')).rejects.toMatchObject(over);
    await begin('8');
    await claim('second', 8);
    await expect(claim('first', 8)).rejects.toMatchObject(over);
  });

  it.each([
    ['another generation has begun', ({ begin }: ReturnType<typeof world>) => begin('8')],
    ['the Engine is gone', ({ cluster }: ReturnType<typeof world>) => cluster.delete(engineType, key)],
  ])('is refused when %s', async (_, change) => {
    const made = world();
    await change(made);
    await expect(made.claim('first')).rejects.toMatchObject(over);
  });

  it('is given to one of two concurrent requests', async () => {
    const { claim, clock } = world();
    const both = Promise.allSettled([claim('first'), claim('second')]);
    for (let second = 0; second < 5; second++) {
      await letWorkRun();
      await clock.advance(1_000);
    }
    expect((await both).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('belongs to the start even when the response was lost', async () => {
    const { claim, clock, cluster } = world();
    let patches = 0;
    cluster.intercept(async ({ verb }, next) => {
      const answer = await next();
      if (verb !== 'patch') return answer;
      patches += 1;
      throw kubeError('KUBE_UNAVAILABLE', 'the answer is lost');
    });
    const claiming = claim('first');
    await letWorkRun();
    await clock.advance(1_000);
    await claiming;
    expect(patches).toBe(1);
  });

  it('is not written when another process has written since the read', async () => {
    const { claim, clock, cluster, begin } = world();
    let hasBegun = false;
    cluster.intercept(async ({ verb }, next) => {
      if (verb === 'patch' && !hasBegun) {
        hasBegun = true;
        await begin('8');
      }
      return next();
    });
    const claiming = expect(claim('first')).rejects.toMatchObject(over);
    await letWorkRun();
    await clock.advance(1_000);
    await claiming;
    const { metadata } = await cluster.get(engineType, key);
    expect(metadata.annotations).toEqual({ [storageAnnotations.generation]: '8' });
  });

  it('waits for the API server until it is aborted', async () => {
    const { claim, clock, cluster } = world();
    cluster.intercept(async () => {
      throw kubeError('KUBE_UNAVAILABLE', 'no connection');
    });
    const stop = new AbortController();
    const claiming = expect(claim('first', 7, stop.signal)).rejects.toThrow('the host stops');
    await clock.advance(60_000);
    stop.abort(new Error('the host stops'));
    await claiming;
  });
});
