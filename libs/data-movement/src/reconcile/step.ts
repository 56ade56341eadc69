import type { DataMovementPhase, TerminalPhase } from '@lateen/api-types';
import type { DataPathProgress } from '@lateen/datapath';
import type { Outcome } from '@lateen/kube';
import type { PathEnding } from './seen.ts';

/** Why a movement ends before or without a data path. */
export type EndReason =
  | { kind: 'canceled'; message?: string }
  | { kind: 'exposeFailed'; error: unknown }
  | { kind: 'podFailed'; error: unknown }
  | { kind: 'prepareTimeout' };

/** The next thing to do about one object. Each is safe to repeat. */
export type Step =
  | { do: 'rest'; outcome: Outcome }
  | { do: 'addFinalizer' }
  | { do: 'accept' }
  | { do: 'expose' }
  | { do: 'prepare' }
  | { do: 'startPath' }
  | { do: 'resumePath' }
  | { do: 'writeProgress'; progress: DataPathProgress }
  | { do: 'requestCancel' }
  | { do: 'markCanceling' }
  | { do: 'concludePath'; ending: PathEnding }
  | { do: 'end'; phase: Exclude<TerminalPhase, 'Completed'>; reason: EndReason }
  | { do: 'cleanUp' };

/** Phases in which spec.cancel may still stop something. */
export const cancelable: readonly DataMovementPhase[] = ['New', 'Accepted', 'Prepared', 'InProgress', 'Canceling'];
