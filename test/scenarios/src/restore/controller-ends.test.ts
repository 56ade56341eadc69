import {
  type BackupStorageLocation,
  backupStorageLocationType,
  backupType,
  dataDownloadType,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { restoreItems } from '@lateen/restore';
import { aBackupStorageLocation, aConfigMap, aDataDownload, aNamespace } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../backup/backup-world.ts';
import { retentionBeside } from '../backup/retention-beside.ts';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

/** A restore `r` that stays InProgress until the test releases the engine. */
async function begun() {
  const engine = scriptedEngine();
  engine.hold();
  const world = worlds.empty(engine);
  await world.backedUp();
  const life = world.startRestores();
  await world.createRestore('r');
  return { engine, world, life };
}

/** A movement that a restore has started; the test ends it in place of a node-agent. */
function moving(world: RestoreControllerWorld, restore: string): void {
  const uid = world.restore(restore)?.metadata.uid ?? '';
  const labels = { 'velero.io/restore-uid': uid, 'velero.io/async-operation-id': 'dd-1' };
  world.cluster.put(aDataDownload({ name: 'data', phase: 'InProgress', labels }));
  const off = world.cluster.onChange(({ object }) => {
    const { kind, spec, status } = object as unknown as ReturnType<typeof aDataDownload>;
    if (kind !== 'DataDownload' || spec.cancel !== true || status?.phase !== 'InProgress') return;
    off();
    queueMicrotask(() =>
      world.cluster.change(dataDownloadType, { namespace, name: 'data' }, (download) => {
        download.status = { ...download.status, phase: 'Canceled' };
      }),
    );
  });
}

const downloadPhase = (world: RestoreControllerWorld) =>
  world.cluster.find(dataDownloadType, { namespace, name: 'data' })?.status?.phase;

const cancel = async (world: RestoreControllerWorld, name: string) => {
  await world.cluster.patch(restoreType, { namespace, name }, { type: 'merge', body: { spec: { cancel: true } } });
  await world.work();
};

describe('a restore that is cancelled', () => {
  it('ends in Canceled while it runs, cancels its movements, and keeps its log', async () => {
    const engine = scriptedEngine();
    engine.hold();
    const world = await worlds.running(engine);
    await world.createRestore('r');
    expect(engine.underWay()).toEqual(['r']);
    moving(world, 'r');
    await cancel(world, 'r');
    const restore = await world.untilRestore('r', 'Canceled');
    expect(world.restorePhases('r')).toEqual(['InProgress', 'Canceling', 'Canceled']);
    expect(restore.status?.completionTimestamp).toEqual(expect.any(String));
    expect(engine.underWay()).toEqual([]);
    expect(downloadPhase(world)).toBe('Canceled');
    expect(world.restoreFiles('r')).toEqual(['restore-r-logs.gz', 'restore-r-results.gz']);
    expect(restore.metadata.finalizers).toEqual(['restores.velero.io/external-resources-finalizer']);
  });

  it('is Canceled immediately before it has started, and others continue', async () => {
    const engine = scriptedEngine();
    engine.hold();
    const world = await worlds.running(engine);
    await world.createRestore('first');
    await world.createRestore('second');
    await world.createRestore('third');
    await cancel(world, 'second');
    expect(world.restorePhases('second')).toEqual(['Canceled']);
    engine.letGo();
    await world.untilRestore('third', 'Completed');
    expect(engine.runs.map(({ restore }) => restore)).toEqual(['first', 'third']);
  });

  it('is ended by the next controller when the first one is gone', async () => {
    const { world, life } = await begun();
    moving(world, 'r');
    await life.stop();
    await cancel(world, 'r');
    world.startRestores();
    await world.untilRestore('r', 'Canceled');
    expect(downloadPhase(world)).toBe('Canceled');
  });

  it('stays Completed when it is cancelled after its end', async () => {
    const world = await worlds.running(scriptedEngine());
    await world.createRestore('r');
    await world.untilRestore('r', 'Completed');
    await cancel(world, 'r');
    await world.clock.advance(600_000);
    expect(world.restore('r')?.status?.phase).toBe('Completed');
  });
});

describe('a restore that is deleted', () => {
  it('ends first when it is running, and its files are deleted', async () => {
    const engine = scriptedEngine();
    engine.hold();
    const world = await worlds.running(engine);
    retentionBeside(world, new Map());
    await world.createRestore('r');
    moving(world, 'r');
    await world.cluster.delete(restoreType, { namespace, name: 'r' });
    await world.untilTrue(() => world.restore('r') === undefined);
    expect(engine.underWay()).toEqual([]);
    expect(downloadPhase(world)).toBe('Canceled');
    expect(world.restoreFiles('r')).toEqual([]);
  });

  it('lets others continue when it was waiting', async () => {
    const engine = scriptedEngine();
    engine.hold();
    const world = await worlds.running(engine);
    for (const name of ['first', 'second', 'third']) await world.createRestore(name);
    await world.cluster.delete(restoreType, { namespace, name: 'second' });
    engine.letGo();
    await world.untilRestore('third', 'Completed');
    expect(engine.runs.map(({ restore }) => restore)).toEqual(['first', 'third']);
  });
});

describe('what a restore depends on', () => {
  it('may be deleted meanwhile: without its backup the restore is PartiallyFailed and says so', async () => {
    const engine = scriptedEngine();
    engine.hold();
    const world = await worlds.running(engine);
    await world.createRestore('r');
    world.cluster.remove(backupType, { namespace, name: 'nightly' });
    engine.letGo();
    const { status } = await world.untilRestore('r', 'PartiallyFailed', 'Completed', 'Failed');
    expect([status?.phase, status?.failureReason]).toEqual([
      'PartiallyFailed',
      'Backup nightly does not exist any more',
    ]);
  });

  it('may be read-only: that protects backups, and restores only read', async () => {
    const world = worlds.empty(scriptedEngine());
    await world.backedUp();
    world.cluster.put(aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }));
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'Completed');
    expect(world.restoreFiles('r')).toContain('restore-r-logs.gz');
  });

  it('may be unreachable: the restore fails with the reason', async () => {
    const world = worlds.empty(scriptedEngine());
    await world.backedUp();
    world.startRestores();
    world.store.add({ fault: { fail: new Error('no route to host') } });
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Failed');
    expect(status?.failureReason).toContain('no route to host');
  });

  it('may be lost before the operations end', async () => {
    const world = worlds.empty(scriptedEngine());
    await world.backedUp();
    world.cluster.put({
      apiVersion: 'velero.io/v1',
      kind: 'Restore',
      metadata: { name: 'r', namespace },
      spec: { backupName: 'nightly' },
      status: { phase: 'WaitingForPluginOperations', startTimestamp: '2030-01-01T00:00:00Z' },
    } as Restore);
    world.cluster.remove(backupStorageLocationType, { namespace, name: 'default' });
    world.startRestores();
    const { status } = await world.untilRestore('r', 'PartiallyFailed');
    expect(status?.failureReason).toBe('BackupStorageLocation default does not exist any more');
  });
});

const abandoned = 'found a restore with status "InProgress" during the server starting, mark it as "Failed"';

describe('a controller that stops during a restore', () => {
  it('leaves it to the next one, which continues it and says so', async () => {
    const { engine, world, life } = await begun();
    await life.stop();
    expect(world.restore('r')?.status?.phase).toBe('InProgress');
    engine.letGo();
    world.startRestores();
    const restore = await world.untilRestore('r', 'Completed');
    expect(engine.runs).toHaveLength(2);
    expect(world.restorePhases('r')).toEqual(['InProgress', 'Finalizing', 'Completed']);
    expect(restore.metadata.annotations).toMatchObject({ 'lateen.dev/attempts': '2' });
    expect(world.restoreEvents('r').find(({ reason }) => reason === 'Continued')?.message).toContain('attempt 2');
  });

  it('three times in a row fails the restore with the reason', async () => {
    const { engine, world, ...first } = await begun();
    let { life } = first;
    for (let more = 0; more < 3; more += 1) {
      await life.stop();
      life = world.startRestores();
      await world.work();
    }
    const { status } = await world.untilRestore('r', 'Failed');
    expect(status?.failureReason).toBe(`${abandoned}; its work was begun 3 times`);
    expect(engine.runs).toHaveLength(3);
  });

  it('fails a restore that cannot continue because its backup is gone', async () => {
    const { world, life } = await begun();
    await life.stop();
    world.cluster.remove(backupType, { namespace, name: 'nightly' });
    world.startRestores();
    const { status } = await world.untilRestore('r', 'Failed');
    expect(status?.failureReason).toContain(`${abandoned}; Error retrieving backup: can't find backup velero/nightly`);
  });

  describe('while its location is unavailable', () => {
    const reach = (world: RestoreControllerWorld, phase: 'Available' | 'Unavailable') => {
      const key = { namespace, name: 'default' };
      world.cluster.change<BackupStorageLocation>(backupStorageLocationType, key, (location) => {
        location.status = { ...location.status, phase };
      });
    };
    const left = async () => {
      const world = await begun();
      await world.life.stop();
      reach(world.world, 'Unavailable');
      world.world.startRestores();
      await world.world.work();
      return world;
    };

    it('leaves it to the next one, which continues as soon as the location is available again', async () => {
      const { engine, world } = await left();
      await world.clock.advance(500_000);
      expect(world.restorePhases('r')).toEqual(['InProgress']);
      expect(engine.runs).toHaveLength(1);
      expect(world.restoreEvents('r').filter(({ reason }) => reason === 'Waiting')).toEqual([
        {
          reason: 'Waiting',
          type: 'Warning',
          message: 'BackupStorageLocation default is unavailable; the restore continues when it is available again',
        },
      ]);
      engine.letGo();
      const at = world.clock.now();
      reach(world, 'Available');
      await world.work();
      expect(world.clock.now()).toBe(at);
      expect(engine.runs).toHaveLength(2);
      const { metadata } = await world.untilRestore('r', 'Completed');
      expect(metadata.annotations).toMatchObject({ 'lateen.dev/attempts': '2' });
    });

    it('waits up to the resource timeout, whatever the wall clock says, and then fails with the reason', async () => {
      const { engine, world } = await left();
      const now = world.clock.now.bind(world.clock);
      world.clock.now = () => now() + 86_400_000;
      // The restore is reconciled meanwhile.
      world.change('r', ({ metadata }) => {
        metadata.labels = { ...metadata.labels, looked: 'at' };
      });
      await world.clock.advance(599_000);
      await world.work();
      expect(world.restore('r')?.status?.phase).toBe('InProgress');
      await world.clock.advance(2_000);
      const { status } = await world.untilRestore('r', 'Failed');
      expect(status?.failureReason).toBe(
        `${abandoned}; The BSL default is unavailable, cannot retrieve the backup; it was waited for 10m0s`,
      );
      expect(engine.runs).toHaveLength(1);
    });

    it('can be cancelled', async () => {
      const { world } = await left();
      await cancel(world, 'r');
      await world.untilRestore('r', 'Canceled');
    });

    it('can be deleted', async () => {
      const { world } = await left();
      retentionBeside(world, new Map());
      await world.cluster.delete(restoreType, { namespace, name: 'r' });
      await world.untilTrue(() => world.restore('r') === undefined);
    });
  });

  /** Every write of a whole restore, once before the API server gets it and once after, with the answer lost. */
  const deaths = Array.from({ length: 18 }, (_, atWrite) =>
    (['before', 'after'] as const).map((when) => ({ atWrite, when })),
  ).flat();
  it.each(deaths)('leaves every restore complete with all its objects ($atWrite, $when)', async (death) => {
    const world = worlds.empty({
      engine: { restoreItems },
      restoreActions: builtInActions({ csi: true }).restore,
      objects: [
        aNamespace({ name: 'shop' }),
        ...['a', 'b', 'c'].map((name) => aConfigMap({ name, namespace: 'shop', data: { of: name } })),
      ],
    });
    await world.backedUp();
    const mortality: Mortality = {
      dead: false,
      writes: 0,
      death,
      die: () => {
        mortality.dead = true;
      },
    };
    const first = world.startRestores(mortalKube(world.cluster, mortality));
    await world.createRestore('r', { backupName: 'nightly', namespaceMapping: { shop: 'copy' } });
    await world.untilTrue(() => mortality.dead || world.restore('r')?.status?.phase === 'Completed');
    await first.stop();
    world.startRestores();
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect([status?.phase, status?.warnings, status?.errors]).toEqual(['Completed', undefined, undefined]);
    const list = await world.restored.getResourceList('r');
    expect(list['v1/ConfigMap']).toEqual(['copy/a(created)', 'copy/b(created)', 'copy/c(created)']);
  });
});
