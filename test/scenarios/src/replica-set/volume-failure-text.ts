import type { VolumeResult } from './simulate-volume.ts';

const tailLines = 120;

/** What is needed to find the cause of a failed seed. */
export function volumeFailureText(
  { seed, violations, trace, hash }: Pick<VolumeResult, 'seed' | 'violations' | 'trace' | 'hash'>,
  flag: '--storage' | '--changed-blocks' = '--storage',
): string {
  return [
    `seed ${seed} breaks ${violations.length === 1 ? 'a rule' : `${violations.length} rules`} (trace ${hash}):`,
    ...violations.map((each) => `  - ${each}`),
    ...trace.slice(-tailLines).map((line) => `  ${line}`),
    `replay it: npm run simulate -- ${flag} --seed ${seed} --trace`,
  ].join('\n');
}
