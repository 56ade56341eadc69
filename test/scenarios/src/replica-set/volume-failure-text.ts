import type { VolumeResult } from './simulate-volume.ts';

const tailLines = 120;

/** What a person needs who looks for the reason. */
export function volumeFailureText({ seed, violations, trace, hash }: VolumeResult): string {
  return [
    `seed ${seed} breaks ${violations.length === 1 ? 'a rule' : `${violations.length} rules`} (trace ${hash}):`,
    ...violations.map((each) => `  - ${each}`),
    ...trace.slice(-tailLines).map((line) => `  ${line}`),
    `replay it: npm run simulate -- --storage --seed ${seed} --trace`,
  ].join('\n');
}
