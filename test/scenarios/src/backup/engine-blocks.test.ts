import type { KubeObject, Pod } from '@lateen/api-types';
import { parseItemPath } from '@lateen/archive';
import { type BackupItemAction, builtInActions, type ItemBlockAction } from '@lateen/item-actions';
import { keyText } from '@lateen/kube';
import { aNamespace, aPersistentVolume, aPersistentVolumeClaim, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';

const block = builtInActions({ csi: false }).block;

/** A running pod in `shop` that mounts claims. */
function pod(
  name: string,
  claims: readonly string[] = [],
  annotations: Record<string, string> = {},
  parts: Partial<Pod['spec']> = {},
): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return aPod({ name, namespace: 'shop', annotations, phase: 'Running', spec: { volumes, ...parts } });
}

const claim = (name: string, parts: Parameters<typeof aPersistentVolumeClaim>[0] = {}) =>
  aPersistentVolumeClaim({ name, namespace: 'shop', volumeName: `pv-${name}`, ...parts });

const hooks = (more: Record<string, string> = {}) => ({
  'pre.hook.backup.velero.io/command': '["freeze"]',
  'post.hook.backup.velero.io/command': '["thaw"]',
  ...more,
});

interface WorldOptions {
  objects: readonly KubeObject[];
  backup?: BackupItemAction[];
  block?: ItemBlockAction[];
  limits?: Parameters<typeof engineWorld>[0] extends infer O ? (O extends { limits?: infer L } ? L : never) : never;
}

/** Records commands and actions in the order in which they happen. */
function blockWorld(options: WorldOptions) {
  const events: string[] = [];
  const recording: BackupItemAction = {
    name: 'test/record',
    appliesTo: { includedResources: ['pods', 'persistentvolumeclaims'] },
    execute: async (item) => {
      events.push(`${item.kind === 'Pod' ? 'pod' : 'claim'} ${item.metadata.name}`);
      return { item };
    },
  };
  const world = engineWorld({
    objects: [aNamespace({ name: 'shop' }), ...options.objects],
    actions: { backup: [recording, ...(options.backup ?? [])], block: options.block ?? block },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  world.cluster.podExec.play(({ pod: { name }, command }) => {
    events.push(`${command[0]} ${name}`);
    return command[0] === 'fail' ? 1 : 0;
  });
  return { ...world, events };
}

const itemsIn = (files: ReadonlyMap<string, string>): string[] =>
  [...files.keys()].flatMap((path) => {
    const item = parseItemPath(path);
    return item === undefined || item.version !== undefined ? [] : `${item.groupResource} ${keyText(item)}`;
  });

describe('an item block', () => {
  it('runs hooks around the pod and its claims', async () => {
    const world = blockWorld({
      objects: [pod('db', ['data', 'logs'], hooks()), claim('data'), claim('logs'), pod('web')],
    });
    const { outcome } = await world.run();
    const at = (event: string) => world.events.indexOf(event);
    expect(world.events.slice().sort()).toEqual([
      'claim data',
      'claim logs',
      'freeze db',
      'pod db',
      'pod web',
      'thaw db',
    ]);
    for (const event of ['claim data', 'claim logs', 'pod db']) {
      expect(at('freeze db')).toBeLessThan(at(event));
      expect(at(event)).toBeLessThan(at('thaw db'));
    }
    expect(outcome.hooks).toEqual({ attempted: 2, failed: 0 });
    expect(world.lines('error')).toEqual([]);
  });

  it('contains all pods of a claim, the other claims of those pods, and so on', async () => {
    const world = blockWorld({
      objects: [
        pod('a', ['one'], hooks()),
        pod('b', ['one', 'two'], hooks()),
        pod('c', ['two']),
        pod('d', ['three'], hooks()),
        ...['one', 'two', 'three'].map((name) => claim(name)),
      ],
      limits: { itemBlockWorkers: 1 },
    });
    await world.run();
    const frozen = world.events.slice(world.events.indexOf('freeze a'), world.events.indexOf('thaw b') + 1);
    expect(frozen.slice(0, 2)).toEqual(['freeze a', 'freeze b']);
    expect(frozen.slice(2, -2).sort()).toEqual(['claim one', 'claim two', 'pod a', 'pod b', 'pod c']);
    expect(frozen.slice(-2)).toEqual(['thaw a', 'thaw b']);
    expect(frozen).not.toContain('freeze d');
  });

  it('contains the claim of an ephemeral volume', async () => {
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } }];
    const world = blockWorld({ objects: [pod('db', [], hooks(), { volumes }), claim('db-scratch')] });
    await world.run();
    expect(world.events[0]).toBe('freeze db');
    expect(world.events.at(-1)).toBe('thaw db');
  });

  it('contains all claims that a label puts into one volume group', async () => {
    const labels = { 'velero.io/volume-group': 'db' };
    const world = blockWorld({
      objects: [pod('db', ['data'], hooks()), claim('data', { labels }), claim('wal', { labels }), claim('alone')],
      limits: { itemBlockWorkers: 1 },
    });
    await world.run();
    const frozen = world.events.slice(world.events.indexOf('freeze db') + 1, world.events.indexOf('thaw db'));
    expect(frozen.sort()).toEqual(['claim data', 'claim wal', 'pod db']);
  });

  it('contains a pod that the label selector does not match when that pod mounts a selected claim', async () => {
    const labels = { app: 'db' };
    const other = { ...pod('other', ['data'], hooks()) };
    const world = blockWorld({ objects: [claim('data', { labels }), other, pod('stranger', ['mine']), claim('mine')] });
    const { files } = await world.run({ labelSelector: { matchLabels: labels } });
    expect(itemsIn(files).sort()).toEqual(['namespaces shop', 'persistentvolumeclaims shop/data', 'pods shop/other']);
    expect(world.events[0]).toBe('freeze other');
  });

  it('runs no hooks for pods when pods are excluded', async () => {
    const world = blockWorld({ objects: [pod('db', ['data'], hooks()), claim('data')] });
    const { files } = await world.run({ excludedResources: ['pods'] });
    expect(itemsIn(files)).toContain('persistentvolumeclaims shop/data');
    expect(world.events).toEqual(['claim data']);
  });

  it('runs in parallel to other blocks, up to the limit', async () => {
    let now = 0;
    let most = 0;
    const slow: BackupItemAction = {
      name: 'test/slow',
      appliesTo: { includedResources: ['persistentvolumeclaims'] },
      execute: async (item, { clock }, signal) => {
        most = Math.max(most, ++now);
        await clock.sleep(1_000, signal);
        now--;
        return { item };
      },
    };
    const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const world = blockWorld({
      objects: names.map((name) => claim(name)),
      backup: [slow],
      limits: { itemBlockWorkers: 5 },
    });
    const run = world.run();
    await world.clock.advanceUntil(() => most === 5);
    await world.clock.advance(10_000);
    expect((await run).resourceList['v1/PersistentVolumeClaim']).toHaveLength(12);
    expect(most).toBe(5);
  });

  it('is read again when the waiting items exceed the memory limit', async () => {
    const world = blockWorld({ objects: [pod('db', ['data'], hooks()), claim('data')], limits: { heldBytesMax: 0 } });
    const { files } = await world.run();
    expect(itemsIn(files)).toContain('pods shop/db');
    expect(world.cluster.calls.filter(({ verb }) => verb === 'get').map(({ key }) => key.name)).toContain('db');
    expect(world.events[0]).toBe('freeze db');
  });

  it('can be formed by a plugin that relates the claims of a resource', async () => {
    const machine = (name: string, claims: string[]) => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name, namespace: 'shop' },
      spec: { claims },
    });
    const plugin: ItemBlockAction = {
      name: 'test/vm',
      appliesTo: { includedResources: ['virtualmachines.kubevirt.io'] },
      relatedItems: async ({ spec }) =>
        (spec as { claims: string[] }).claims.map((name) => ({
          group: '',
          resource: 'persistentvolumeclaims',
          namespace: 'shop',
          name,
        })),
    };
    const world = blockWorld({
      objects: [
        machine('vm', ['root', 'data']),
        machine('empty', []),
        claim('root'),
        claim('data'),
        pod('launcher', ['root'], hooks()),
      ],
      block: [...block, plugin],
    });
    const { files } = await world.run();
    const frozen = world.events.slice(world.events.indexOf('freeze launcher'), world.events.indexOf('thaw launcher'));
    expect(frozen.sort()).toEqual(['claim data', 'claim root', 'freeze launcher', 'pod launcher']);
    expect(itemsIn(files).filter((item) => item.startsWith('virtualmachines'))).toHaveLength(2);
  });
});

describe('a pre-backup hook that fails', () => {
  const failing = { 'pre.hook.backup.velero.io/command': '["fail"]' };

  it('leaves the pod out, which is counted and listed; its claims are stored, and post hooks run', async () => {
    const fail = hooks({ ...failing, 'pre.hook.backup.velero.io/on-error': 'Fail' });
    const world = blockWorld({ objects: [pod('db', ['data'], fail), claim('data')] });
    const { files, outcome, resourceList, itemOutcomes } = await world.run();
    expect(itemsIn(files)).toContain('persistentvolumeclaims shop/data');
    expect(itemsIn(files)).not.toContain('pods shop/db');
    expect(resourceList['v1/Pod']).toEqual(['shop/db']);
    expect(itemOutcomes).toContainEqual(expect.objectContaining({ name: 'db', outcome: 'Failed', by: 'hook' }));
    expect(itemOutcomes.filter(({ name }) => name === 'db')).toHaveLength(1);
    expect(world.events).toEqual(['fail db', 'claim data', 'thaw db']);
    expect(outcome.hooks).toEqual({ attempted: 2, failed: 1 });
    expect(outcome.itemsBackedUp).toBe(itemsIn(files).length + 1);
    expect(world.lines('error')).toEqual(['pods shop/db: Error executing hook']);
  });

  it('leaves nothing out with on-error Continue', async () => {
    const goOn = hooks({ ...failing, 'pre.hook.backup.velero.io/on-error': 'Continue' });
    const world = blockWorld({ objects: [pod('db', ['data'], goOn), claim('data')] });
    const { files, outcome } = await world.run();
    expect(itemsIn(files)).toContain('pods shop/db');
    expect(outcome.hooks).toEqual({ attempted: 2, failed: 1 });
  });
});

describe('ordered pods', () => {
  it('are frozen and stored one by one, before all others', async () => {
    const world = blockWorld({
      objects: ['a', 'b', 'c', 'plain'].map((name) => pod(name, name === 'plain' ? [] : [name], hooks())),
      backup: [],
    });
    for (const name of ['a', 'b', 'c']) world.cluster.put(claim(name, { volumeName: '' }));
    await world.run({ orderedResources: { pods: 'shop/c, shop/a,shop/none' } });
    const first = world.events.slice(0, 8);
    expect([first[0], first[3], first[4], first[7]]).toEqual(['freeze c', 'thaw c', 'freeze a', 'thaw a']);
    expect(world.lines('warn')).toEqual(['pods shop/none: ordered item is not in the backup']);
  });
});

describe('volumes', () => {
  it('are reported one by one: which are snapshotted, and why others are not', async () => {
    const snapshot: BackupItemAction = {
      name: 'velero.io/csi-pvc-backupper',
      appliesTo: { includedResources: ['persistentvolumeclaims'] },
      execute: async (item, { volumes, noteVolume }, signal) => {
        const choice = await volumes.shouldSnapshot(item as never, undefined, signal);
        const { name = '', namespace = '' } = item.metadata;
        if (choice.snapshot || name === 'data')
          noteVolume({ namespace, name }, { method: 'CSISnapshot', dataMoved: true, driver: 'd', operationId: 'du-1' });
        return { item };
      },
    };
    const world = engineWorld({
      objects: [
        claim('data'),
        aPersistentVolume({ name: 'pv-data', claim: { namespace: 'shop', name: 'data' } }),
        aPersistentVolumeClaim({ name: 'pending', namespace: 'shop' }),
        claim('nfs'),
        aPersistentVolume({ name: 'pv-nfs', labels: { tier: 'slow' }, claim: { namespace: 'shop', name: 'nfs' } }),
        aPersistentVolume({ name: 'spare' }),
      ],
      actions: { backup: [snapshot], block },
    });
    const { outcome } = await world.run();
    expect(outcome.csiSnapshotsAttempted).toBe(1);
    const skipped = { snapshotDataMoved: false, preserveLocalSnapshot: false, skipped: true };
    expect(outcome.volumes).toEqual([
      expect.objectContaining({
        pvName: 'spare',
        ...skipped,
        skippedReason: 'volumeSnapshot: no applicable volumesnapshotter found;',
      }),
      {
        pvcName: 'data',
        pvcNamespace: 'shop',
        pvName: 'pv-data',
        backupMethod: 'CSISnapshot',
        snapshotDataMoved: true,
        preserveLocalSnapshot: false,
        skipped: false,
        csiSnapshotInfo: {
          snapshotHandle: 'unknown',
          size: 0,
          driver: 'd',
          vscName: 'unknown',
          operationID: 'unknown',
          ReadyToUse: null,
        },
        snapshotDataMovementInfo: {
          dataMover: 'velero',
          uploaderType: 'kopia',
          snapshotHandle: '',
          operationID: 'du-1',
          size: 0,
          Phase: 'New',
        },
        pvInfo: { reclaimPolicy: 'Delete', labels: null },
      },
      expect.objectContaining({
        pvcName: 'nfs',
        pvName: 'pv-nfs',
        ...skipped,
        pvInfo: { reclaimPolicy: 'Delete', labels: { tier: 'slow' } },
      }),
      expect.objectContaining({
        pvcName: 'pending',
        ...skipped,
        skippedReason: 'volumeSnapshot: the claim is not bound to a volume;',
      }),
    ]);
  });

  it('that are chosen for the file system and cannot be read are an error each, so that nobody assumes they are backed up', async () => {
    const containers = [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    const world = engineWorld({
      objects: [
        pod('db', ['data'], { 'backup.velero.io/backup-volumes': 'data' }, { containers, nodeName: 'node-1' }),
        claim('data'),
      ],
      actions: { backup: [], block },
    });
    const { outcome } = await world.run();
    expect(world.lines('error')).toEqual([
      'pods shop/db: Error backing up pod volume data: daemonset pod not found in running state in node node-1',
    ]);
    expect(outcome.volumes[0]?.skippedReason).toBe(
      'podvolume: daemonset pod not found in running state in node node-1;volumeSnapshot: pod db has it read through the file system;',
    );
  });

  it('are matched by policies with data of their PersistentVolume, also when no list of the backup contains it', async () => {
    const policy = { conditions: { csi: { driver: 'slow.example' } }, action: { type: 'skip' as const } };
    const world = engineWorld({
      objects: [
        pod('db', ['data']),
        claim('data'),
        aPersistentVolume({ name: 'pv-data', spec: { csi: { driver: 'slow.example', volumeHandle: 'h' } } }),
      ],
      actions: { backup: [], block },
      policies: {
        volumePolicies: [policy],
        namespacedFilterPolicies: [],
        warnings: [],
      } as never,
    });
    const { outcome } = await world.run({ includedNamespaces: ['shop'] });
    expect(outcome.volumes[0]?.skippedReason).toContain('volume policy 1 says skip');
  });
});
