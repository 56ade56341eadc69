import { configMapType, labels, labelValues, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { aConfigMap, aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

describe('the end of a restore', () => {
  it('deletes the DataUploadResult ConfigMaps', async () => {
    const { engine } = scriptedEngine({
      during: async ({ kube }, { restore }) => {
        const own = {
          [labels.restoreUid]: restore.metadata.uid ?? '',
          [labels.resourceUsage]: labelValues.dataUploadUsage,
        };
        await kube.create(configMapType, aConfigMap({ namespace: 'velero', name: 'result', labels: own }));
        await kube.create(configMapType, aConfigMap({ namespace: 'velero', name: 'other' }));
      },
    });
    const world = await worlds.running({ engine });
    await world.createRestore('back');
    await world.untilRestore('back', 'Completed');
    expect(world.cluster.find(configMapType, { namespace: 'velero', name: 'result' })).toBeUndefined();
    expect(world.cluster.find(configMapType, { namespace: 'velero', name: 'other' })).toBeDefined();
  });

  const claim = { namespace: 'shop', name: 'data', labels: { [labels.restoreName]: 'back' } };
  const volumes = [
    {
      pvcNamespace: claim.namespace,
      pvcName: claim.name,
      restoreMethod: 'CSISnapshot' as const,
      snapshotDataMoved: false,
    },
  ];

  it('is PartiallyFailed when a claim gets no volume within the resource timeout, with an error in its results', async () => {
    const { engine } = scriptedEngine({
      volumes,
      during: async ({ kube }) => {
        await kube.create(
          persistentVolumeClaimType,
          aPersistentVolumeClaim({ ...claim, spec: { storageClassName: '' } }),
        );
      },
    });
    const world = await worlds.running({ engine });
    await world.createRestore('back');
    const restore = await world.untilRestore('back', 'PartiallyFailed');
    expect(restore.status).toMatchObject({ errors: 1 });
    const { errors } = await world.restored.getResults('back');
    expect(errors.namespaces?.shop?.join()).toContain('PVC shop/data');
  });

  it('waits until claims have volumes', async () => {
    const { engine } = scriptedEngine({
      volumes,
      during: async ({ kube }) => {
        await kube.create(
          persistentVolumeClaimType,
          aPersistentVolumeClaim({ ...claim, spec: { storageClassName: '' } }),
        );
      },
    });
    const world = await worlds.running({ engine });
    await world.createRestore('back');
    await world.untilRestore('back', 'Finalizing');
    const volume = aPersistentVolume({ name: 'pv-new' });
    await world.cluster.create(persistentVolumeType, volume);
    world.cluster.change(persistentVolumeClaimType, claim, (bound) => {
      Object.assign(bound, { status: { phase: 'Bound' } });
      bound.spec.volumeName = 'pv-new';
    });
    await world.untilRestore('back', 'Completed');
  });
});
