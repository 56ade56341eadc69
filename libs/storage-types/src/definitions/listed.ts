import type { KindDefinition } from '@lateen/api-types/definitions';
import { backingImageType } from '../listed/backing-image.ts';
import { backingImageDataSourceType } from '../listed/backing-image-data-source.ts';
import { backingImageManagerType } from '../listed/backing-image-manager.ts';
import { backupBackingImageType } from '../listed/backup-backing-image.ts';
import { engineFrontendType } from '../listed/engine-frontend.ts';
import { shardType } from '../listed/shard.ts';
import { shardGroupType } from '../listed/shard-group.ts';
import { shareManagerType } from '../listed/share-manager.ts';
import { supportBundleType } from '../listed/support-bundle.ts';
import { systemBackupType } from '../listed/system-backup.ts';
import { systemRestoreType } from '../listed/system-restore.ts';
import {
  age,
  count,
  currentImage,
  currentState,
  dataEngine,
  image,
  instanceManager,
  lastSynced,
  node,
  size,
  state,
  text,
} from './columns.ts';

const diskUuid = text('DiskUUID', '.spec.diskUUID');
const sourceType = text('SourceType', '.spec.sourceType');

/** Kinds that the manager does not act on: they are there so that clients find empty lists. */
export const listedDefinitions: readonly KindDefinition[] = [
  {
    type: backingImageType,
    shortNames: ['lhbi'],
    columns: [text('UUID', '.status.uuid'), sourceType, size, text('VirtualSize', '.status.virtualSize'), age],
    statusSubresource: true,
  },
  {
    type: backingImageManagerType,
    shortNames: ['lhbim'],
    columns: [currentState, image, node, diskUuid, text('DiskPath', '.spec.diskPath'), age],
    statusSubresource: true,
  },
  {
    type: backingImageDataSourceType,
    shortNames: ['lhbids'],
    columns: [text('UUID', '.spec.uuid'), currentState, sourceType, size, node, diskUuid, age],
    statusSubresource: true,
  },
  {
    type: backupBackingImageType,
    shortNames: ['lhbbi'],
    columns: [
      text('BackingImage', '.status.backingImage'),
      size,
      text('BackupCreatedAt', '.status.backupCreatedAt'),
      state,
      lastSynced,
    ],
    statusSubresource: true,
  },
  {
    type: shareManagerType,
    shortNames: ['lhsm'],
    columns: [state, text('Node', '.status.ownerID'), currentImage, age],
    statusSubresource: true,
  },
  {
    type: supportBundleType,
    shortNames: ['lhbundle'],
    columns: [state, text('Issue', '.spec.issueURL'), text('Description', '.spec.description'), age],
    statusSubresource: true,
  },
  {
    type: systemBackupType,
    shortNames: ['lhsb'],
    columns: [text('Version', '.status.version'), state, text('Created', '.status.createdAt'), lastSynced],
    statusSubresource: true,
  },
  { type: systemRestoreType, shortNames: ['lhsr'], columns: [state, age], statusSubresource: true },
  {
    type: engineFrontendType,
    shortNames: ['lhef'],
    columns: [dataEngine, currentState, node, instanceManager, age],
    statusSubresource: true,
  },
  {
    type: shardType,
    shortNames: ['lhsd'],
    columns: [
      text('ShardGroup', '.spec.shardGroupName'),
      count('Slot', '.spec.slotIndex'),
      node,
      state,
      text('Role', '.status.role'),
      age,
    ],
    statusSubresource: true,
  },
  {
    type: shardGroupType,
    shortNames: ['lhsg'],
    columns: [text('Volume', '.spec.volumeName'), state, node, count('Failed', '.status.failedCount'), age],
    statusSubresource: true,
  },
];
