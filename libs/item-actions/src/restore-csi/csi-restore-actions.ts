import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { claimDataAction } from './claim-data-action.ts';
import { snapshotRestoreAction } from './snapshot-action.ts';
import { snapshotClassRestoreAction } from './snapshot-class-action.ts';
import { snapshotClassesOf } from './snapshot-class-for.ts';
import { snapshotContentRestoreAction } from './snapshot-content-action.ts';

export { claimAction } from './claim-action.ts';
export { dataUploadAction, dataUploadResultsOf } from './data-upload-action.ts';

/**
 * The actions for feature EnableCSI; they come after the other built-in actions. Their cached data of a restore is released with
 * the Restore object.
 */
export function csiRestoreActions(): RestoreItemAction[] {
  const classes = snapshotClassesOf();
  return [
    claimDataAction(),
    snapshotRestoreAction(classes),
    snapshotContentRestoreAction(classes),
    snapshotClassRestoreAction,
  ];
}
