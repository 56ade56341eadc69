import type { LiveEngine } from '../engine/live-engine.ts';
import { refreshSnapshots } from '../engine/snapshots-of.ts';
import { outcomesOf } from './outcomes.ts';

/** Marks it on every replica; a purge removes it. Replicas that cannot be reached are handled by the next call. @throws the first error */
export async function deleteSnapshot(engine: LiveEngine, snapshot: string, signal: AbortSignal): Promise<void> {
  const { replicas, ended } = engine.parts;
  const either = AbortSignal.any([signal, ended]);
  const outcomes = await outcomesOf(engine.members, (name) =>
    replicas.call(name, either, (control, o) => control.markRemoved({ ...replicas.of(name), snapshot }, o)),
  );
  await refreshSnapshots(engine);
  if (outcomes.failed.length > 0) throw outcomes.firstError;
}
