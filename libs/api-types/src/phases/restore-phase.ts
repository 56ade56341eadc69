/** Phases of a Restore, in the order of the CRD (api.md section 3). The last two are ours, as those of a Backup. */
export const restorePhases = [
  'New',
  'FailedValidation',
  'InProgress',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Finalizing',
  'FinalizingPartiallyFailed',
  'Canceling',
  'Canceled',
] as const;

export type RestorePhase = (typeof restorePhases)[number];
