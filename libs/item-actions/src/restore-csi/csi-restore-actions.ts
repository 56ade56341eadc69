import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { claimDataAction } from './claim-data-action.ts';
import { snapshotRestoreAction } from './snapshot-action.ts';
import { snapshotClassRestoreAction } from './snapshot-class-action.ts';
import { snapshotClassesOf } from './snapshot-class-for.ts';
import { snapshotContentRestoreAction } from './snapshot-content-action.ts';

export { claimAction } from './claim-action.ts';
export { dataUploadAction, dataUploadResultsOf } from './data-upload-action.ts';

/** Of feature EnableCSI; they come after the other built-in actions. What they keep of a restore goes with its object. */
export function csiRestoreActions(): RestoreItemAction[] {
  const classes = snapshotClassesOf();
  return [
    claimDataAction(),
    snapshotRestoreAction(classes),
    snapshotContentRestoreAction(classes),
    snapshotClassRestoreAction,
  ];
}
