import { hostError } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { refreshSnapshots } from '../engine/snapshots-of.ts';
import { relinkAll } from './relink-all.ts';

/**
 * Makes the volume read as the snapshot. The caller makes sure that there is no front end, because a mounted file system does not survive this. A
 * replica that has not reverted when others have leaves the set. An abort before the pause takes effect; during the pause the revert is completed.
 * @throws `SNAPSHOT_NOT_FOUND` when a replica does not have it; `NOT_POSSIBLE_NOW`
 */
export async function revertEngine(engine: LiveEngine, snapshot: string, signal: AbortSignal): Promise<void> {
  const { replicas, limits, ended } = engine.parts;
  const either = AbortSignal.any([signal, ended]);
  using _turn = await engine.turn(either);
  engine.assertCompared('the volume is reverted');
  engine.assertNotRebuilding('the volume is reverted');
  await mustHave(engine, snapshot, either);
  const revert = (name: string) =>
    replicas.call(
      name,
      ended,
      (control, o) => control.revert({ ...replicas.of(name), snapshot }, o),
      limits.replicaMs.revert,
    );
  let drops: Promise<unknown>[] = [];
  try {
    await engine.paused(limits.pauseMs.revert, either, async () => {
      const outcomes = await relinkAll(engine, revert, { signal: ended, changesContent: true });
      if (outcomes.done.length === 0) throw outcomes.firstError;
      const left = outcomes.failed.filter((name) => engine.members.includes(name));
      drops = left.map((name) =>
        engine.set.drop(name, { kind: 'differs', message: `it has not reverted to ${snapshot}` }),
      );
    });
  } finally {
    await Promise.allSettled(drops);
  }
  await refreshSnapshots(engine);
}

async function mustHave(engine: LiveEngine, snapshot: string, signal: AbortSignal): Promise<void> {
  const { replicas } = engine.parts;
  for (const name of engine.members) {
    const { layers } = await replicas.call(name, signal, (control, o) => control.layers(replicas.of(name), o));
    const found = layers.find((layer) => layer.name === snapshot);
    if (found === undefined || found.removed)
      throw hostError('SNAPSHOT_NOT_FOUND', `${name} has no snapshot ${snapshot}`);
  }
}
