import type { Restore } from '@lateen/api-types';
import { isNew, isRunning } from '../phases/phase-moves.ts';
import { restoreScope, scopesOverlap } from './restore-scope.ts';

/** The restores that a restore has to wait for; an empty list: it may start. */
export interface Turn {
  waitsFor: readonly string[];
  /** `same objects`: they may write to the same objects; `places`: the limit of running restores is reached. */
  why: 'same objects' | 'places';
}

export interface TurnView {
  restores: readonly Restore[];
  /** Uids of restores that are about to start in this process, whatever their phase says. */
  taken: ReadonlySet<string>;
  concurrentMax: number;
}

/**
 * Whether a New restore may start. It waits for every running restore that may write to the same objects, and for older waiting restores
 * that may do so. So overlapping restores keep their order, and the others do not wait. Pure.
 */
export function decideTurn(restore: Restore, { restores, taken, concurrentMax }: TurnView): Turn | undefined {
  const others = restores.filter(({ metadata }) => metadata.uid !== restore.metadata.uid);
  const running = others.filter((each) => taken.has(each.metadata.uid ?? '') || known(each, isRunning));
  const before = others.filter(
    (each) => !running.includes(each) && known(each, isWaitingNew) && isOlder(each, restore),
  );
  const scope = restoreScope(restore.spec);
  const overlapping = [...running, ...before].filter((each) => scopesOverlap(scope, restoreScope(each.spec)));
  if (overlapping.length > 0) return { waitsFor: namesOf(overlapping), why: 'same objects' };
  return running.length >= concurrentMax ? { waitsFor: namesOf(running), why: 'places' } : undefined;
}

const isWaitingNew = (restore: Restore): boolean =>
  isNew(restore) && restore.spec.cancel !== true && restore.metadata.deletionTimestamp === undefined;

/** Phases of a later version count as none that we know. */
function known(restore: Restore, test: (restore: Restore) => boolean): boolean {
  try {
    return test(restore);
  } catch {
    return false;
  }
}

const createdMs = ({ metadata }: Restore): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
const nameOf = ({ metadata }: Restore): string => metadata.name ?? '';

const isOlder = (a: Restore, b: Restore): boolean =>
  createdMs(a) - createdMs(b) < 0 || (createdMs(a) === createdMs(b) && nameOf(a) < nameOf(b));

const namesOf = (restores: readonly Restore[]): string[] => restores.map(nameOf).sort();
