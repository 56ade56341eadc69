import { annotations, type Backup, backupType, finalizers } from '@lateen/api-types';
import { type RunKind, type RunPatch, runWrites, type WritePorts as WritePortsOf } from '@lateen/run';
import { backupPhaseTable, underWay } from '../phases/phase-moves.ts';

export type BackupPatch = RunPatch<Backup>;
export type WritePorts = WritePortsOf<Backup>;

export const backupKind: RunKind<Backup> = {
  type: backupType,
  word: 'backup',
  phases: backupPhaseTable,
  underWay,
  unclaimed: 'ReadyToStart',
  finalizer: finalizers.backupUnderWay,
  // Whoever cancels it has them still to run; with every other move a run begins, or all of them have run.
  notesOnMove: ({ metadata }, to) =>
    to === 'Canceling' || metadata.annotations?.[annotations.openHooks] === undefined
      ? {}
      : { [annotations.openHooks]: null },
};

export const backupWrites = runWrites(backupKind);
export const { write: writeBackup, move: moveBackup, release: releaseBackup, onLatest, isHeld } = backupWrites;
