import { AppError } from '@lateen/errors';
import type { RunObject } from '../run-object.ts';

/** The allowed next phases of each phase. */
export type PhaseMoves<P extends string> = Readonly<Record<P, readonly P[]>>;

/** The phases of a kind of run, and the moves that they allow. Pure. */
export interface PhaseTable<P extends string> {
  mayMove(from: P, to: P): boolean;
  /** An absent or empty phase reads as New. @throws PHASE_UNKNOWN for a phase of a later version */
  phaseOf(run: Pick<RunObject, 'status'>): P;
  /** Whether the phase is one of these. */
  isIn(...phases: P[]): (run: Pick<RunObject, 'status'>) => boolean;
}

export function phaseTable<P extends string>(moves: PhaseMoves<P>): PhaseTable<P> {
  const phaseOf = ({ status }: Pick<RunObject, 'status'>): P => {
    const phase = status?.phase || 'New';
    if (!Object.hasOwn(moves, phase))
      throw new AppError('PHASE_UNKNOWN', `the phase "${phase}" is not known to this version`);
    return phase as P;
  };
  return {
    phaseOf,
    mayMove: (from, to) => moves[from].includes(to),
    isIn: (...phases) => {
      const set: ReadonlySet<P> = new Set(phases);
      return (run) => set.has(phaseOf(run));
    },
  };
}
