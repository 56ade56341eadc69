import type { Random } from '@lateen/kernel';
import { again, type Outcome } from '@lateen/kube-runtime';
import type { RepositoryMemory } from './repository-memory.ts';
import { nextLookMs } from './repository-pauses.ts';

/** Nothing to do now: the time of the next check if nothing changes. */
export function nextLook({ random }: { random: Random }, memory: RepositoryMemory): Outcome {
  const isFirst = memory.looked !== true;
  memory.looked = true;
  return again(nextLookMs(isFirst, random.next()), 'the next look');
}
