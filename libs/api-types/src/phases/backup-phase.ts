/** Phases of a Backup, in the order of the CRD (api.md section 2.2, where the moves between them stand too). */
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
] as const;

export type BackupPhase = (typeof backupPhases)[number];
