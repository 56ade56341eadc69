import type { Integer } from './scalars.ts';

/** What happens when a hook's command fails. */
export const hookErrorModes = ['Continue', 'Fail'] as const;
export type HookErrorMode = (typeof hookErrorModes)[number];

/** Number of hooks that ran. */
export interface HookStatus {
  /** Number of hooks that were started, successful or not. */
  hooksAttempted?: Integer;
  /** Number of hooks that failed. */
  hooksFailed?: Integer;
}
