/**
 * Reasons of the Events by which a data-mover pod talks to its node-agent (data-movement.md section 7); Velero has
 * no warning.
 */
export const dataPathReasons = {
  started: 'Data-Path-Started',
  progress: 'Data-Path-Progress',
  completed: 'Data-Path-Completed',
  failed: 'Data-Path-Failed',
  canceled: 'Data-Path-Canceled',
  canceling: 'Data-Path-Canceling',
  stopped: 'Data-Path-Stopped',
  warning: 'Data-Path-Warning',
} as const;

export type DataPathReason = (typeof dataPathReasons)[keyof typeof dataPathReasons];
