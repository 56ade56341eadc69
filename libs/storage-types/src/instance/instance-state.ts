/** States of what runs for an engine or replica (longhorn.md section 2). */
export const instanceStates = [
  'running',
  'stopped',
  'starting',
  'stopping',
  'error',
  'unknown',
  'suspended',
  'terminated',
] as const;
/** @unchecked */
export type InstanceState = (typeof instanceStates)[number];
