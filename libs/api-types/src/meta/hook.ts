import type { Integer } from './scalars.ts';

/** What happens when a hook's command fails. */
export const hookErrorModes = ['Continue', 'Fail'] as const;
export type HookErrorMode = (typeof hookErrorModes)[number];

/** How many hooks ran. */
export interface HookStatus {
  /** Hooks that were tried, whether they succeeded or not. */
  hooksAttempted?: Integer;
  /** Hooks that ended with an error. */
  hooksFailed?: Integer;
}
