import type { PodVolumeBackup, VolumeSnapshot } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { aPersistentVolume, aVolumeSnapshot } from '@lateen/testing';
import { expect, it } from 'vitest';
import type { CatalogItem, LegacyVolumes } from '../engine/contract.ts';
import { legacyBackedUp } from './legacy-volumes.ts';

const volume = aPersistentVolume({ claim: { namespace: 'app', name: 'data' } });
const native = (persistentVolumeName: string) => ({ spec: { persistentVolumeName } }) as NativeSnapshot;
const ofPod = (claim: string, namespace: string) =>
  ({
    metadata: { annotations: { 'velero.io/pvc-name': claim } },
    spec: { pod: { namespace } },
  }) as unknown as PodVolumeBackup;
const ofClaim = (claim: string, namespace = 'app'): VolumeSnapshot =>
  aVolumeSnapshot({ namespace, spec: { source: { persistentVolumeClaimName: claim } } });

it.each<[string, Partial<LegacyVolumes>, Record<string, string> | undefined, string | undefined]>([
  [
    'a native snapshot',
    { nativeSnapshots: [native('pv-data')], podVolumeBackups: [ofPod('data', 'app')] },
    undefined,
    'NativeSnapshot',
  ],
  ['another native snapshot', { nativeSnapshots: [native('pv-x')] }, undefined, undefined],
  [
    'its files',
    { podVolumeBackups: [ofPod('data', 'app')], csiSnapshots: [ofClaim('data')] },
    undefined,
    'PodVolumeBackup',
  ],
  ['files of another claim', { podVolumeBackups: [ofPod('data', 'x'), ofPod('x', 'app')] }, undefined, undefined],
  ['a CSI snapshot', { csiSnapshots: [ofClaim('data')] }, undefined, 'CSISnapshot'],
  ['a CSI snapshot of another claim', { csiSnapshots: [ofClaim('x'), ofClaim('data', 'x')] }, undefined, undefined],
  ['moved data', {}, { 'velero.io/data-upload-name': 'velero/u' }, 'CSISnapshot'],
  ['nothing', {}, {}, undefined],
])('a backup without volume info has for a volume %s', (_what, files, onClaim, expected) => {
  const catalog = {
    find: () => (onClaim === undefined ? undefined : ({ annotations: onClaim } as unknown as CatalogItem)),
  };
  const legacy = { nativeSnapshots: [], podVolumeBackups: [], csiSnapshots: [], ...files };
  expect(legacyBackedUp(legacy, catalog)(volume)?.method).toBe(expected);
});

it('a volume without a claim can only have a native snapshot', () => {
  const legacy = { nativeSnapshots: [native('pv-data')], podVolumeBackups: [], csiSnapshots: [] };
  const backedUp = legacyBackedUp(legacy, { find: () => undefined });
  expect(backedUp(aPersistentVolume())).toEqual({ method: 'NativeSnapshot' });
  expect(backedUp(aPersistentVolume({ name: 'pv-x' }))).toBeUndefined();
});
