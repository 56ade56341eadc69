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
  // A cancellation still has to run the open hooks; at every other phase change a run starts, or all hooks have run.
  notesOnMove: ({ metadata }, to) =>
    to === 'Canceling' || metadata.annotations?.[annotations.openHooks] === undefined
      ? {}
      : { [annotations.openHooks]: null },
};

export const backupWrites = runWrites(backupKind);
export const { write: writeBackup, move: moveBackup, release: releaseBackup, onLatest, isHeld } = backupWrites;
