export const processKinds = ['replica', 'engine-host', 'nbdfuse', 'nbd-client', 'block-backup'] as const;
export type ProcessKind = (typeof processKinds)[number];

/** A process that should run. */
export interface WantedProcess {
  /** Names what it holds (a replica's folder, a front end): two processes of one id never live at the same time. */
  readonly id: string;
  readonly kind: ProcessKind;
  /** Identifies this start. A run that has ended is never started again: a new start has a new run. */
  readonly run: string;
  readonly argv: readonly string[];
  /** Added to the environment that all processes have. Only a start needs it, so records do not keep it. */
  readonly env?: Readonly<Record<string, string>>;
  /** The volume that it belongs to, if it belongs to a single volume. */
  readonly volume?: string;
}

/**
 * - `answers`, `silent`: it lives, and its socket answers or does not answer.
 * - `unsure`: a program began to start it and died; whether it started is not known yet.
 * - `gone`: it has ended, or was never started.
 */
export const processHealths = ['answers', 'silent', 'unsure', 'gone'] as const;
export type ProcessHealth = (typeof processHealths)[number];

/** A process that we have started, with its record. */
export interface SeenProcess {
  readonly id: string;
  readonly kind: ProcessKind;
  readonly run: string;
  readonly volume?: string;
  readonly health: ProcessHealth;
  readonly pid?: number;
  readonly startTicks?: string;
  /** Monotonic ms at which it was asked to end. */
  readonly endingSinceMs?: number;
}

export type ProcessStep =
  | { readonly do: 'start'; readonly process: WantedProcess }
  | {
      readonly do: 'end';
      readonly id: string;
      readonly pid: number;
      readonly startTicks: string;
      readonly signal: 'SIGTERM' | 'SIGKILL';
    }
  /** Removes its record. */
  | { readonly do: 'forget'; readonly id: string }
  | { readonly do: 'wait'; readonly id: string; readonly reason: string };
