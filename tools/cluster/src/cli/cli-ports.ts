import type { Progress } from '../progress/progress.ts';

/** Ports of the commands. */
export interface CliPorts {
  /** For results. */
  print(text: string): void;
  progress: Progress;
  signal: AbortSignal;
}
