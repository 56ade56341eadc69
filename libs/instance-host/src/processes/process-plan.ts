export const processKinds = ['replica', 'engine-host', 'nbdfuse', 'nbd-client', 'block-backup'] as const;
export type ProcessKind = (typeof processKinds)[number];

/** A process that should run. */
export interface WantedProcess {
  /** Of what it holds (a replica's folder, a front end): two processes of one id never live at the same time. */
  readonly id: string;
  readonly kind: ProcessKind;
  /** Names this one start. A run that has ended is never started again: whoever wants a new one names another run. */
  readonly run: string;
  readonly argv: readonly string[];
  /** In its environment, beside what all processes have there. Only a start needs it, so no record keeps it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of whose it is, if of one volume alone. */
  readonly volume?: string;
}

/**
 * - `answers`, `silent`: it lives, and its socket does or does not answer.
 * - `unsure`: a start was begun by a program that died meanwhile; whether it happened is not known yet.
 * - `gone`: it has ended, or was never started.
 */
export const processHealths = ['answers', 'silent', 'unsure', 'gone'] as const;
export type ProcessHealth = (typeof processHealths)[number];

/** A process that we have started, by its record. */
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
  /** Its record goes. */
  | { readonly do: 'forget'; readonly id: string }
  | { readonly do: 'wait'; readonly id: string; readonly reason: string };
