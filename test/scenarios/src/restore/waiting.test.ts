import {
  annotations,
  type DataDownload,
  type DataMovementPhase,
  dataDownloadType,
  type KubeObject,
  labels,
  type RestoreSpec,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { builtInActions } from '@lateen/item-actions';
import { aDataDownload, aNamespace, aPersistentVolumeClaim, aPod, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import {
  databaseAnnotation,
  databaseFirstAction,
  databaseFirstActionV1,
  earlierAnnotation,
  type StatefulSet,
  statefulSetType,
} from './example/database-first-action.ts';
import { backedUp, type RestoreWorldOptions, restoreWorld } from './restore-world.ts';

const namespace = 'shop';
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'i' }] } };
const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };

const database = (name: string): KubeObject =>
  ({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { namespace, name }, spec }) as KubeObject;
const web = (name: string, annotations: Record<string, string> = {}): KubeObject =>
  ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name, annotations }, spec }) as KubeObject;

/** Deployment `web-<i>` needs database `db-<i>`; `plain` needs none. */
const shop = (count: number): KubeObject[] => [
  aNamespace({ name: namespace }),
  web('plain'),
  ...Array.from({ length: count }, (_, i) => [
    database(`db-${i}`),
    web(`web-${i}`, { [databaseAnnotation]: `db-${i}` }),
  ]).flat(),
];

interface Start {
  /** Time after its creation at which a database is ready; never when absent. */
  readyAfterMs?: number;
  broken?: string;
}

interface WaitingOptions extends RestoreWorldOptions {
  /** By the name of the database. */
  starts?(name: string): Start;
  spec?: RestoreSpec;
}

async function restored(objects: readonly KubeObject[], { starts = () => ({}), spec: of, ...options }: WaitingOptions) {
  const stored = await backedUp(objects);
  const actions = [...builtInActions({ csi: false }).restore, databaseFirstAction, databaseFirstActionV1];
  const world = restoreWorld({ actions, ...options });
  const { clock, cluster } = world;
  const startMs = clock.now();
  const createdAt = new Map<string, number>();
  const readyAt = new Map<string, number>();
  cluster.onChange(({ object, previous }) => {
    const { name = '', namespace: inside = '' } = object.metadata;
    if (previous !== undefined || !['Deployment', 'StatefulSet'].includes(object.kind)) return;
    createdAt.set(name, clock.now() - startMs);
    if (object.kind === 'StatefulSet') void start({ namespace: inside, name });
  });
  /** Sets the status as the StatefulSet controller does. */
  async function start(key: { namespace: string; name: string }): Promise<void> {
    const { readyAfterMs, broken } = starts(key.name);
    if (readyAfterMs === undefined && broken === undefined) return;
    await clock.sleep(readyAfterMs ?? 0);
    readyAt.set(key.name, clock.now() - startMs);
    const conditions = broken === undefined ? [] : [{ type: 'Broken', status: 'True', message: broken }];
    cluster.change<StatefulSet>(statefulSetType, key, (set) => {
      set.status = { readyReplicas: broken === undefined ? 1 : 0, conditions };
    });
  }
  const { items } = await world.run(stored, of);
  const errors = world.log.lines.filter(({ level }) => level === 'error');
  return {
    ...world,
    items,
    createdAt,
    readyAt,
    errors: errors.map(({ fields }) => `${fields.name}: ${describeError(fields.err)}`).sort(),
    acts: Object.fromEntries(items.map(({ name, act }) => [name, act])),
  };
}

const at = (times: ReadonlyMap<string, number>, name: string): number => times.get(name) ?? Number.NaN;

describe('an item that waits for additional items', () => {
  it('is created immediately when they are ready immediately', async () => {
    const { createdAt, errors } = await restored(shop(1), { starts: () => ({ readyAfterMs: 0 }) });
    expect([...createdAt.keys()].indexOf('db-0')).toBeLessThan([...createdAt.keys()].indexOf('web-0'));
    expect(at(createdAt, 'web-0')).toBeLessThanOrEqual(1_000);
    expect(errors).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is created within a second after they are ready, seed %i', async (seed) => {
    const dice = seededRandom(seed);
    const readyAfterMs = new Map(Array.from({ length: 12 }, (_, i) => [`db-${i}`, Math.floor(dice.next() * 90_000)]));
    const { createdAt, readyAt, errors, acts } = await restored(shop(12), {
      seed,
      limits: { parallel: 1 + seed * 3 },
      starts: (name) => ({ readyAfterMs: readyAfterMs.get(name) ?? 0 }),
    });
    expect(errors).toEqual([]);
    for (let i = 0; i < 12; i++) {
      const waitedMs = at(createdAt, `web-${i}`) - at(readyAt, `db-${i}`);
      expect(waitedMs, `web-${i}`).toBeGreaterThanOrEqual(0);
      expect(waitedMs, `web-${i}`).toBeLessThanOrEqual(1_000);
      expect(acts[`web-${i}`]).toBe('create');
    }
  });

  it('delays no other item, however low the parallelism', async () => {
    const { createdAt, errors } = await restored(shop(20), {
      limits: { parallel: 2 },
      starts: () => ({ readyAfterMs: 60_000 }),
    });
    expect(errors).toEqual([]);
    const databases = [...createdAt].filter(([name]) => name.startsWith('db-')).map(([, ms]) => ms);
    expect(Math.max(...databases, at(createdAt, 'plain'))).toBeLessThan(5_000);
    // All of them waited at the same time.
    expect(Math.max(...createdAt.values())).toBeLessThan(70_000);
  });

  it('is restored when they report an error, which is an error of the restore', async () => {
    const { errors, acts } = await restored(shop(2), {
      starts: (name) => (name === 'db-0' ? { broken: 'no disk' } : { readyAfterMs: 3_000 }),
    });
    expect(errors).toEqual(['web-0: database db-0 is broken: no disk']);
    expect(acts).toMatchObject({ 'web-0': 'create', 'web-1': 'create' });
  });

  it('is restored when the wait of its action times out, which is an error of the restore', async () => {
    const { createdAt, errors, acts } = await restored(shop(2), {
      starts: (name) => (name === 'db-0' ? {} : { readyAfterMs: 3_000 }),
    });
    expect(errors).toEqual([expect.stringContaining('web-0: they were not ready within 2m0s')]);
    expect(acts['web-0']).toBe('create');
    expect(at(createdAt, 'web-0')).toBeGreaterThanOrEqual(120_000);
    expect(at(createdAt, 'web-1')).toBeLessThan(10_000);
  });

  it('does not wait for items that could not be restored', async () => {
    const { createdAt, errors, acts } = await restored(shop(1), {
      kube: (cluster) => ({
        ...cluster,
        get: (...args) => cluster.get(...args),
        create: (type, object, options) =>
          object.kind === 'StatefulSet'
            ? Promise.reject(new AppError('KUBE_FORBIDDEN', 'admission webhook "gate" denied the request: no'))
            : cluster.create(type, object, options),
      }),
    });
    expect(acts).toMatchObject({ 'web-0': 'create' });
    expect(acts['db-0']).not.toBe('create');
    expect(at(createdAt, 'web-0')).toBeLessThan(2_000);
    expect(errors).toEqual([expect.stringMatching(/^db-0: /)]);
  });

  it('waits for items in the mapped namespace', async () => {
    const { createdAt, readyAt, errors } = await restored(shop(1), {
      starts: () => ({ readyAfterMs: 20_000 }),
      spec: { namespaceMapping: { shop: 'shop-2' } },
    });
    expect(errors).toEqual([]);
    expect(at(createdAt, 'web-0')).toBeGreaterThanOrEqual(at(readyAt, 'db-0'));
  });

  it('has the same result one by one as in parallel', async () => {
    const starts = (name: string) => ({ readyAfterMs: name === 'db-1' ? 500_000 : 4_000 });
    const serial = await restored(shop(3), { starts, limits: { parallel: 1 } });
    const parallel = await restored(shop(3), { starts, limits: { parallel: 16 } });
    expect(serial.acts).toEqual(parallel.acts);
    expect(serial.errors).toEqual(parallel.errors);
    expect(serial.errors).toHaveLength(1);
  });

  it('waits for nothing in a plan', async () => {
    const { clock, acts, cluster } = await restored(shop(3), { spec: { dryRun: true } });
    expect(acts).toMatchObject({ 'web-0': 'create', 'db-0': 'create' });
    expect(cluster.all(statefulSetType)).toEqual([]);
    expect(clock.nextDueInMs).toBeUndefined();
  });
});

it('an action of contract version 1 works beside one of version 2: its items come first, without a wait', async () => {
  const objects = [
    aNamespace({ name: namespace }),
    database('old-db'),
    web('a-web', { [earlierAnnotation]: 'old-db' }),
    database('db-0'),
    web('web-0', { [databaseAnnotation]: 'db-0' }),
  ];
  const { createdAt, errors } = await restored(objects, { starts: () => ({ readyAfterMs: 30_000 }) });
  expect(errors).toEqual([]);
  expect([...createdAt.keys()].indexOf('old-db')).toBeLessThan([...createdAt.keys()].indexOf('a-web'));
  expect(at(createdAt, 'a-web')).toBeLessThan(5_000);
  expect(at(createdAt, 'web-0')).toBeGreaterThanOrEqual(30_000);
});

describe('a pod that waits for the data of its claims', () => {
  const claim = { namespace, name: 'data' };
  const objects = [
    aNamespace({ name: namespace }),
    aPersistentVolumeClaim({ ...claim, spec: { storageClassName: 'fast' } }),
    aPod({
      namespace,
      name: 'db-0',
      annotations: { [annotations.waitForData]: '1h' },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    }),
    aNamespace({ name: 'bank' }),
    // In its own namespace the DataDownload would be restored after the pods, because pods may own it.
    { ...web('plain'), metadata: { namespace: 'bank', name: 'plain' } },
  ];
  const restoredWith = async (phase: DataMovementPhase) => {
    const stored = await backedUp(objects);
    const download = aDataDownload({
      labels: { [labels.restoreUid]: 'restore-uid' },
      spec: { targetVolume: { pvc: 'data', pv: '', namespace } },
    });
    const world = restoreWorld({ objects: [download], actions: builtInActions({ csi: false }).restore });
    const startMs = world.clock.now();
    const createdAt = new Map<string, number>();
    world.cluster.onChange(({ object, previous }) => {
      if (previous === undefined) createdAt.set(object.kind, world.clock.now() - startMs);
    });
    void world.clock.sleep(2_400_000).then(() =>
      world.cluster.change<DataDownload>(dataDownloadType, { namespace: 'velero', name: 'download' }, (moving) => {
        moving.status = { ...moving.status, phase };
      }),
    );
    await world.run(stored);
    return { createdAt, errors: world.lines('error') };
  };

  it('is created when its claim exists and has its data', async () => {
    const { createdAt, errors } = await restoredWith('Completed');
    expect(errors).toEqual([]);
    expect(at(createdAt, 'PersistentVolumeClaim')).toBeLessThan(5_000);
    expect(at(createdAt, 'Deployment')).toBeLessThan(5_000);
    expect(at(createdAt, 'Pod')).toBeGreaterThanOrEqual(2_400_000);
  });

  it('is created when the data is lost, which is an error of the restore', async () => {
    const { createdAt, errors } = await restoredWith('Failed');
    expect(errors).toEqual([expect.stringContaining('pods shop/db-0: Additional items of the item are not ready')]);
    expect(createdAt.has('Pod')).toBe(true);
  });
});
