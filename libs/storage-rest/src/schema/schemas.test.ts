import { describe, expect, it } from 'vitest';
import { apiVersion, apiVersions } from '../envelope/api-version.ts';
import { oneSchema, schemaCollection } from '../envelope/schema-body.ts';
import { schemas } from './schemas.ts';

const base = 'http://longhorn-backend:9500';
const golden = (name: string) => new URL(`../testdata/${name}.json`, import.meta.url).pathname;
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** The list in longhorn-api.md section 3, written out. */
const ids =
  `volume node setting recurringJob engineImage backupTarget backupVolume backingImage systemBackup systemRestore
backupBackingImage replica controller instanceProcess instanceManager volumeAttachment attachment snapshot snapshotCR event tag shard
shardGroup apiVersion schema error empty backupStatus restoreStatus purgeStatus rebuildStatus workloadStatus cloneStatus kubernetesStatus
volumeDataLayout diskUpdate diskInfo settingDefinition volumeCondition nodeCondition diskCondition longhornCondition
backingImageDiskFileStatus volumeRecurringJob syncBackupResource supportBundle orphan backup backupTargetListOutput backupVolumeListOutput
backupListOutput snapshotListOutput snapshotCRListOutput attachInput detachInput salvageInput activateInput expandInput snapshotInput
snapshotCRInput backupInput replicaRemoveInput engineUpgradeInput diskUpdateInput volumeRecurringJobInput PVCreateInput PVCCreateInput
supportBundleInitateInput backingImageCleanupInput updateMinNumberOfCopiesInput backingImageRestoreInput UpdateReplicaCountInput
UpdateAccessModeInput UpdateUblkQueueDepthInput UpdateUblkNumberOfQueueInput UpdateReplicaAutoBalanceInput UpdateDataLocalityInput
UpdateUnmapMarkSnapChainRemovedInput UpdateSnapshotDataIntegrityInput UpdateBackupCompressionInput UpdateReplicaSoftAntiAffinityInput
UpdateReplicaZoneSoftAntiAffinityInput UpdateReplicaDiskSoftAntiAffinityInput UpdateFreezeFilesystemForSnapshotInput
UpdateBackupTargetInput UpdateSnapshotMaxCountInput UpdateRebuildConcurrentSyncLimitInput UpdateSnapshotMaxSizeInput
UpdateReplicaRebuildingBandwidthLimitInput UpdateOfflineRebuildingInput`.split(/\s+/);

describe('schemas', () => {
  it('are the 90 types of Longhorn, each once', () => {
    expect(schemas.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(ids).toHaveLength(90);
  });
  it('equal the golden file', async () => {
    await expect(json(schemaCollection(base))).toMatchFileSnapshot(golden('schemas'));
  });
  it('are found in any case; for a missing one the response is 200 with links only', () => {
    expect(oneSchema('BACKUPVOLUME', base)).toMatchObject({ id: 'backupVolume', pluralName: 'backupVolumes' });
    expect(oneSchema('pod', base)).toEqual({ links: { self: `${base}/v1/schemas/pod` } });
  });
  it('have English plurals', () => {
    expect(schemas.find(({ id }) => id === 'backupStatus')?.pluralName).toBe('backupStatuses');
    expect(schemas.find(({ id }) => id === 'volume')?.pluralName).toBe('volumes');
  });
  it('keep defaults that are empty, 0 and false', () => {
    const fields = schemas.find(({ id }) => id === 'volume')?.fields;
    expect([fields?.standby?.default, fields?.rebuildConcurrentSyncLimit?.default]).toEqual([false, 0]);
    expect(schemas.find(({ id }) => id === 'backupTarget')?.fields.credentialSecret?.default).toBe('');
  });
  it('name existing types, except for the two inputs that Longhorn names wrongly', () => {
    const said = schemas.flatMap(({ actions }) =>
      Object.values(actions).flatMap(({ input, output }) => [input, output]),
    );
    const unknown = new Set(said.filter((name) => name !== undefined && !ids.includes(name)));
    expect([...unknown].sort()).toEqual(['ReplicaAutoBalance', 'UpdateBackupCompressionMethodInput']);
  });
});

describe('versions', () => {
  it('equal the golden file', async () => {
    await expect(json(apiVersion(base))).toMatchFileSnapshot(golden('v1'));
    await expect(json(apiVersions(base))).toMatchFileSnapshot(golden('apiversions'));
  });
});
