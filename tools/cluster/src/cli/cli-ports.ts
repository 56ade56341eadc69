import type { Progress } from '../progress/progress.ts';

/** What the commands get from the outside. */
export interface CliPorts {
  /** For results. */
  print(text: string): void;
  progress: Progress;
  signal: AbortSignal;
}
