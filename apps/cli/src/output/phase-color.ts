import type { DataMovementPhase } from '@lateen/api-types';
import type { RunPhase } from '@lateen/operations/run';
import type { TextOutput } from './live-line.ts';

/** SGR codes (ECMA-48); phases without one keep the terminal's own colour. */
const colors: Partial<Record<DataMovementPhase | RunPhase, number>> = {
  InProgress: 36,
  Completed: 32,
  Canceling: 33,
  Canceled: 33,
  Failed: 31,
  FailedValidation: 31,
  PartiallyFailed: 31,
};

/** Only on a terminal with colours, and never when NO_COLOR is set (no-color.org: any value but the empty one). */
export function usesColor(output: TextOutput, env: Readonly<Record<string, string | undefined>>): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

export function coloredPhase(phase: DataMovementPhase | RunPhase, color: boolean): string {
  const code = colors[phase];
  return color && code !== undefined ? `\u001b[${code}m${phase}\u001b[39m` : phase;
}
