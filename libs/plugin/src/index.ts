export type {
  Backup,
  ConfigMap,
  KubeObject,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceType,
  Restore,
  Secret,
  Unstructured,
} from '@lateen/api-types';
export {
  backupType,
  configMapType,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  restoreType,
  secretType,
} from '@lateen/api-types';
export { AppError, type AppErrorOptions, isAppError } from '@lateen/errors';
export type { ItemIdentifier, OperationProgress, ResourceSelector } from '@lateen/item-actions';
export type { Clock, LogFields, Logger } from '@lateen/kernel';
export { isAlreadyExists, isConflict, isNotFound, type KubeApi, listAll } from '@lateen/kube';
export type { PluginConfig } from './context/plugin-config.ts';
export type { ActionContext } from './contract/action-context.ts';
export type {
  BackupItemAction,
  BackupItemActionV1,
  BackupItemActionV2,
  BackupItemInput,
  BackupItemResultV1,
  BackupItemResultV2,
  BackupOperationInput,
} from './contract/backup-item-action.ts';
export type { DeleteItemAction } from './contract/delete-item-action.ts';
export type { ItemBlockAction } from './contract/item-block-action.ts';
export type { MakeObjectStore, ObjectStore } from './contract/object-store.ts';
export type { PluginDefinition } from './contract/plugin-definition.ts';
export {
  type AdditionalItemsInput,
  type RestoreItemAction,
  type RestoreItemActionV1,
  type RestoreItemActionV2,
  type RestoreItemInput,
  type RestoreItemResultV1,
  type RestoreItemResultV2,
  type RestoreItemResultWithOperation,
  type RestoreItemResultWithWait,
  type RestoreOperationInput,
  targetNamespace,
} from './contract/restore-item-action.ts';
export type {
  LocationConfig,
  MakeVolumeSnapshotter,
  VolumeInfo,
  VolumeSnapshotter,
} from './contract/volume-snapshotter.ts';
export { definePlugin, type Offer, type Plugin } from './define-plugin.ts';
export { servePlugin } from './program/serve-plugin.ts';
