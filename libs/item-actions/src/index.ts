export type { ActionContext, VolumeChoices, VolumeFacts } from './contract/action-context.ts';
export type { BackupItemAction, BackupItemResult, OperationContext } from './contract/backup-item-action.ts';
export type { DeleteItemAction } from './contract/delete-item-action.ts';
export type { ItemBlockAction } from './contract/item-block-action.ts';
export type { ItemIdentifier } from './contract/item-identifier.ts';
export type { OperationProgress } from './contract/operation-progress.ts';
export type { ResourceSelector } from './contract/resource-selector.ts';
