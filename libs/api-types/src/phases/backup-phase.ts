/**
 * Phases of a Backup, in the order of the CRD (api.md section 2.2, where the moves between them stand too). The last two are ours:
 * Velero has two designs of a cancellation and none of them in a release (after-1.18.1.md 1C).
 */
export const backupPhases = [
  'New',
  'Queued',
  'ReadyToStart',
  'FailedValidation',
  'InProgress',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Deleting',
  'Canceling',
  'Canceled',
] as const;

export type BackupPhase = (typeof backupPhases)[number];
