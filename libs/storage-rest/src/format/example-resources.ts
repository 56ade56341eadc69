import type { Resource } from '../envelope/resource.ts';
import { backupResource, backupTargetResource, backupVolumeResource } from './backup-resources.ts';
import * as seen from './example-objects.ts';
import { exampleBackup, exampleVolume } from './example-volume.ts';
import { nodeResource, tagResource } from './node-resource.ts';
import * as other from './other-resources.ts';
import { settingResource, settingResources } from './setting-resource.ts';
import { snapshotCRResource, snapshotResource } from './snapshot-resource.ts';
import { volumeAttachmentResource } from './volume/volume-attachment.ts';
import { volumeResource } from './volume/volume-resource.ts';

/** One answer of each type, by its name; for tests alone. */
export function exampleResources(base: string): Record<string, Resource> {
  const { attachment, engines } = exampleVolume;
  const snapshots = engines[0]?.status?.snapshots ?? {};
  if (attachment === undefined) throw new Error('the example volume has no attachment');
  return {
    volume: volumeResource(exampleVolume, base),
    volumeAttachment: volumeAttachmentResource(attachment, base),
    node: nodeResource({ node: seen.exampleNode, address: '10.0.0.7' }, base),
    setting: settingResource('default-replica-count', undefined, base) as Resource,
    snapshot: snapshotResource('snap-1', snapshots['snap-1'] ?? {}, 'abc', base),
    snapshotCR: snapshotCRResource(seen.exampleSnapshot, base),
    backupTarget: backupTargetResource(seen.exampleTarget, base),
    backupVolume: backupVolumeResource(seen.exampleBackupVolume, base),
    backup: backupResource(exampleBackup, base),
    recurringJob: other.recurringJobResource(seen.exampleJob, base),
    engineImage: other.engineImageResource(seen.exampleImage, 'lateen:dev', base),
    instanceManager: other.instanceManagerResource(seen.exampleInstanceManager, base),
    orphan: other.orphanResource(seen.exampleOrphan, base),
    event: other.eventResource(seen.exampleEvent, base),
    tag: tagResource('disk', 'fast', base),
  };
}

/** All answers of each type that has a collection here. */
export const exampleCollections = (base: string): Record<string, readonly Resource[]> => ({
  ...Object.fromEntries(Object.entries(exampleResources(base)).map(([type, one]) => [type, [one]])),
  setting: settingResources([], base),
});
