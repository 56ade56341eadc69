import { hostError } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { refreshSnapshots } from '../engine/snapshots-of.ts';
import { relinkAll } from './relink-all.ts';

/**
 * Grows the volume while it is in use. The new size counts when all replicas have it; a replica that grew before an error stays larger, which is not
 * visible. Does nothing when the volume has this size. An abort before the pause takes effect; during the pause the growth is completed.
 * @throws `SIZE_REFUSED`, `NOT_POSSIBLE_NOW`, and the error of a replica that has refused
 */
export async function growEngine(engine: LiveEngine, sizeBytes: bigint, signal: AbortSignal): Promise<void> {
  const { replicas, limits, ended, request } = engine.parts;
  const either = AbortSignal.any([signal, ended]);
  using _turn = await engine.turn(either);
  const now = engine.set.state.sizeBytes;
  if (sizeBytes === now) return;
  if (sizeBytes < now)
    throw hostError('SIZE_REFUSED', `engine ${request.name} has ${now} bytes: a volume never becomes smaller`);
  engine.assertCompared('the volume grows');
  engine.assertNotRebuilding('the volume grows');
  const grow = (name: string) =>
    replicas.call(
      name,
      ended,
      (control, o) => control.grow({ ...replicas.of(name), sizeBytes }, o),
      limits.replicaMs.grow,
    );
  await engine.paused(limits.pauseMs.grow, either, async () => {
    const outcomes = await relinkAll(engine, grow, { signal: ended, changesContent: false });
    const left = outcomes.failed.filter((name) => engine.members.includes(name));
    if (left.length > 0) throw outcomes.firstError;
    engine.set.resize(sizeBytes);
  });
  await refreshSnapshots(engine);
}
