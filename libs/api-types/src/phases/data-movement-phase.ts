/** Phases of DataUpload, DataDownload, PodVolumeBackup and PodVolumeRestore (data-movement.md section 3). */
export const dataMovementPhases = [
  'New',
  'Accepted',
  'Prepared',
  'InProgress',
  'Canceling',
  'Canceled',
  'Completed',
  'Failed',
] as const;

export type DataMovementPhase = (typeof dataMovementPhases)[number];

/** A data movement in one of these is over: nothing but its finalizer and labels changes any more. */
export const terminalPhases = ['Canceled', 'Completed', 'Failed'] as const satisfies readonly DataMovementPhase[];

export type TerminalPhase = (typeof terminalPhases)[number];

/** False for an absent or empty phase: that reads as New. */
export function isTerminalPhase(phase: string | undefined): phase is TerminalPhase {
  return (terminalPhases as readonly (string | undefined)[]).includes(phase);
}
