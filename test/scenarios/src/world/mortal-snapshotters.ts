import { answerLost, type SnapshotterSource, type VolumeSnapshotter } from '@lateen/native-snapshots';
import { type Mortality, mortalStep } from './mortal-kube.ts';

/** Calls that change something in the cloud. */
const changing = ['createSnapshot', 'createVolumeFromSnapshot', 'deleteSnapshot'] as const;

const lost = () => answerLost('a call of a process that is dead');

/** Plugins as one process sees them: the process may die at each call that changes something. */
export const mortalSnapshotters = (source: SnapshotterSource, life: Mortality): SnapshotterSource => ({
  snapshotterFor: async (provider, signal) => {
    if (life.dead) throw lost();
    const made = await source.snapshotterFor(provider, signal);
    const mortal = Object.fromEntries(
      changing.map((name) => {
        const call = made[name] as (...args: unknown[]) => Promise<unknown>;
        return [name, (...args: unknown[]) => mortalStep(life, lost, () => call(...args))];
      }),
    );
    return { ...made, ...mortal } as VolumeSnapshotter;
  },
});
