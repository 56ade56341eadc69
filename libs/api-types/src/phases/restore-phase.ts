/** Phases of a Restore, in the order of the CRD (api.md section 3). */
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
] as const;

export type RestorePhase = (typeof restorePhases)[number];
