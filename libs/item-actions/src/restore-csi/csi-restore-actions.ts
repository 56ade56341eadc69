import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { claimDataAction } from './claim-data-action.ts';

export { claimAction } from './claim-action.ts';
export { dataUploadAction, dataUploadResultsOf } from './data-upload-action.ts';

/** Of feature EnableCSI; they come after the other built-in actions. What they keep of a restore goes with its object. */
export const csiRestoreActions = (): RestoreItemAction[] => [claimDataAction()];
