import { annotations, finalizers, type Restore, restoreType } from '@lateen/api-types';
import { type RunKind, type RunPatch, runWrites, type StatusPatch, type WritePorts as WritePortsOf } from '@lateen/run';
import { restorePhaseTable, underWay } from '../phases/phase-moves.ts';

export type RestorePatch = RunPatch<Restore>;
export type RestoreStatusPatch = StatusPatch<Restore>;
export type WritePorts = WritePortsOf<Restore>;

export const restoreKind: RunKind<Restore> = {
  type: restoreType,
  word: 'restore',
  phases: restorePhaseTable,
  underWay,
  unclaimed: 'New',
  finalizer: finalizers.restoreUnderWay,
  // Retention removes this finalizer when it deletes the files of the restore.
  lastingFinalizer: finalizers.restoreExternalResources,
  notesOnMove: ({ metadata }) =>
    metadata.annotations?.[annotations.waitsFor] === undefined ? {} : { [annotations.waitsFor]: null },
};

export const restoreWrites = runWrites(restoreKind);
export const { write: writeRestore, move: moveRestore, release: releaseRestore, onLatest, isHeld } = restoreWrites;
