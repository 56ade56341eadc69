import type { HookStatus } from '../meta/hook.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Integer, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { RestorePhase } from '../phases/restore-phase.ts';
import type { RestoreSpec } from './restore-spec.ts';

/** Brings objects and volumes of a backup into the cluster. */
export interface Restore extends KubeObject {
  spec: RestoreSpec;
  status?: RestoreStatus;
}

/** How the restore went. */
export interface RestoreStatus {
  /** Where in its life the restore is. */
  phase?: RestorePhase;
  /** What is wrong with the specification. */
  validationErrors?: string[] | null;
  /** Warnings; the restore's results in the storage location list them. */
  warnings?: Integer;
  /** Errors; the restore's results in the storage location list them. */
  errors?: Integer;
  /** Why the whole restore failed. */
  failureReason?: string;
  /** When the work began. */
  startTimestamp?: Timestamp | null;
  /** When the work ended, well or not. */
  completionTimestamp?: Timestamp | null;
  /** How many objects are done; may lag behind. */
  progress?: RestoreProgress | null;
  /** Operations of plugins and data movers that were started. */
  restoreItemOperationsAttempted?: Integer;
  /** Operations that succeeded. */
  restoreItemOperationsCompleted?: Integer;
  /** Operations that ended with an error. */
  restoreItemOperationsFailed?: Integer;
  /** How the hooks went. */
  hookStatus?: HookStatus | null;
}

/** Progress in objects. */
export interface RestoreProgress {
  /** Objects to restore, as far as is known by now. */
  totalItems?: Integer;
  /** Objects restored so far. */
  itemsRestored?: Integer;
}

export const restoreType = veleroType<Restore>('v1', 'Restore', 'restores');
