import { type ConfigMap, configMapType, type Secret, secretType } from '@lateen/api-types';
import { keyText } from '@lateen/kube';
import { aConfigMap, aSecret, FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { informer } from '../watching/informer.ts';
import { type ControllerSpec, controller, watches } from './controller.ts';
import { settled } from './outcome.ts';

type Settings = Partial<Pick<ControllerSpec<ConfigMap>, 'wakes' | 'workers'>>;

function world(settings: Settings = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aConfigMap({ name: 'a' }), aSecret({ name: 'for-b' })] });
  const told: string[] = [];
  const base = {
    clock,
    random: seededRandom(),
    log: recordingLog(),
    metrics: {
      reconciled: (name: string, result: string) => told.push(`${name} ${result}`),
      length: (name: string, length: number) => told.push(`${name} ${length}`),
    },
  };
  const maps = informer<ConfigMap>({ ...base, api: cluster, type: configMapType });
  const secrets = informer<Secret>({ ...base, api: cluster, type: secretType });
  const reconciled: string[] = [];
  const built = controller(base, {
    name: 'config-map',
    for: maps,
    watches: [watches(secrets, ({ object }) => [{ namespace: 'velero', name: object.metadata.name?.slice(4) ?? '' }])],
    reconciler: () => ({
      reconcile: async (key) => {
        reconciled.push(keyText(key));
        return settled;
      },
    }),
    ...settings,
  });
  const stop = new AbortController();
  return { cluster, maps, secrets, built, reconciled, told, stop };
}

describe('controller', () => {
  it('processes nothing before all its watches have listed once', async () => {
    const { cluster, maps, secrets, built, reconciled, stop } = world();
    const running = [maps.run(stop.signal), built.run(stop.signal)];
    await cluster.settle();
    expect(reconciled).toEqual([]);
    running.push(secrets.run(stop.signal));
    await cluster.settle();
    expect(reconciled).toEqual(['velero/a', 'velero/b']);
    stop.abort();
    await Promise.all(running);
  });

  it('is woken by relevant changes of its objects and watched objects, and by additions to its queue', async () => {
    const { cluster, maps, secrets, built, reconciled, stop } = world({
      wakes: ({ object }) => object.metadata.name !== 'dull',
    });
    const running = [maps.run(stop.signal), secrets.run(stop.signal), built.run(stop.signal)];
    await cluster.settle();
    reconciled.length = 0;
    await cluster.create(configMapType, aConfigMap({ name: 'dull' }));
    await cluster.create(configMapType, aConfigMap({ name: 'new' }));
    await cluster.create(secretType, aSecret({ name: 'for-c' }));
    await cluster.settle();
    built.queue.add('velero/by-hand');
    await cluster.settle();
    expect(reconciled.sort()).toEqual(['velero/by-hand', 'velero/c', 'velero/new']);
    stop.abort();
    await Promise.all(running);
  });

  it('labels its queue and its results with its name', async () => {
    const { cluster, maps, secrets, built, told, stop } = world();
    const running = [maps.run(stop.signal), secrets.run(stop.signal), built.run(stop.signal)];
    await cluster.settle();
    expect(told).toContain('config-map settled');
    expect(told).toContain('config-map 1');
    stop.abort();
    await Promise.all(running);
    expect(told.at(-1)).toBe('config-map 0');
  });

  it('ends when it is stopped before the first list', async () => {
    const { built, reconciled, stop } = world();
    const running = built.run(stop.signal);
    stop.abort();
    await running;
    expect(reconciled).toEqual([]);
  });
});
