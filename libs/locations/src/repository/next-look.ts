import type { Random } from '@lateen/kernel';
import { again, type Outcome } from '@lateen/kube-runtime';
import type { RepositoryMemory } from './repository-memory.ts';
import { nextLookMs } from './repository-pauses.ts';

/** Nothing is to be done now: when the repository is looked at without any change. */
export function nextLook({ random }: { random: Random }, memory: RepositoryMemory): Outcome {
  const isFirst = memory.looked !== true;
  memory.looked = true;
  return again(nextLookMs(isFirst, random.next()), 'the next look');
}
