import type { HookStatus } from '../meta/hook.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Integer, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { RestorePhase } from '../phases/restore-phase.ts';
import type { RestoreSpec } from './restore-spec.ts';

/** A restore: creates the objects of a backup in the cluster and restores the data of their volumes. */
export interface Restore extends KubeObject {
  spec: RestoreSpec;
  status?: RestoreStatus;
}

/** Progress and result of the restore. */
export interface RestoreStatus {
  /**
   * Progress of the restore. `New` (or empty): it waits to start. `FailedValidation`: the spec is not valid, see validationErrors.
   * `InProgress`: objects are restored. `WaitingForPluginOperations`: volume data is still restored. `Finalizing`: last changes, and hooks.
   * `Completed`: everything is restored. `PartiallyFailed`: everything but what the errors name is restored. `Failed`: it ended early, see
   * failureReason; what was restored stays. `Canceling`, `Canceled`: see `spec.cancel`. The phases that end in PartiallyFailed mean the
   * same, with errors.
   */
  phase?: RestorePhase;
  /** Everything that is wrong with the spec. Set only in phase FailedValidation. */
  validationErrors?: string[] | null;
  /** Number of warnings. `lateen restore describe` shows them. */
  warnings?: Integer;
  /** Number of errors. `lateen restore describe` shows them. */
  errors?: Integer;
  /** Why the whole restore failed. Set only in phase Failed. */
  failureReason?: string;
  /** When the restore started. Empty while it waits. */
  startTimestamp?: Timestamp | null;
  /** When the restore ended, successfully or not. */
  completionTimestamp?: Timestamp | null;
  /** Number of objects restored so far, and in total. Updated at most once a second. */
  progress?: RestoreProgress | null;
  /** Number of operations in the background that were started: restores of volumes, and operations of plugins. */
  restoreItemOperationsAttempted?: Integer;
  /** Number of operations in the background that ended successfully. */
  restoreItemOperationsCompleted?: Integer;
  /** Number of operations in the background that failed. */
  restoreItemOperationsFailed?: Integer;
  /** Number of hooks that ran, and that failed. */
  hookStatus?: HookStatus | null;
}

/** Progress of the restore, in objects. */
export interface RestoreProgress {
  /** Number of objects to restore, as far as known. It grows when related objects are found. */
  totalItems?: Integer;
  /** Number of objects that were restored so far, including those that were left as they are. */
  itemsRestored?: Integer;
}

export const restoreType = veleroType<Restore>('v1', 'Restore', 'restores');
