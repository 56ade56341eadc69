import { AppError } from '@lateen/errors';

/** Which state may follow which. */
export type StateMoves<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Staying is no move. */
export function mayMove<S extends string>(moves: StateMoves<S>, from: S, to: S): boolean {
  return moves[from].includes(to);
}

/** A state as it stands in an object. @throws PHASE_UNKNOWN for one of a later version */
export function stateIn<S extends string>(moves: StateMoves<S>, state: string): S {
  if (Object.hasOwn(moves, state)) return state as S;
  throw new AppError('PHASE_UNKNOWN', `the state "${state}" is not known to this version`);
}
