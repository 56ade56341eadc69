import { nameOf } from '../replica-facts.ts';
import type { OwnedByVolume, VolumeEffect } from '../volume-effect.ts';
import { isLost } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/** A volume that is being deleted: its engine ends, then all its objects are deleted, then its finalizer is removed. */
export const deleted: VolumeStep = (seen) => {
  if (seen.volume.metadata.deletionTimestamp === undefined) return undefined;
  const status = { state: 'deleting' } as const;
  return { status, ends: true, ...(stopEngine(seen) ?? deleteRest(seen)) };
};

function stopEngine(seen: VolumeSeen): StepResult | undefined {
  const { engine } = seen;
  const state = engine?.status?.currentState ?? 'stopped';
  if (engine === undefined || state === 'stopped' || isLost(seen, engine.spec.nodeID ?? '')) return undefined;
  const asked = engine.spec.desireState === 'stopped';
  return { effects: asked ? [] : [{ do: 'stop-engine' }], waitsFor: `the engine on ${engine.spec.nodeID} has to end` };
}

function deleteRest(seen: VolumeSeen): StepResult {
  const { volume, engine, replicas, snapshots, hasAttachment } = seen;
  const left: [OwnedByVolume, readonly { metadata: { name?: string; deletionTimestamp?: string } }[]][] = [
    ['Engine', engine === undefined ? [] : [engine]],
    ['Replica', replicas],
    ['Snapshot', snapshots],
    ['VolumeAttachment', hasAttachment ? [{ metadata: { name: nameOf(volume) } }] : []],
  ];
  const effects = left.flatMap(([kind, objects]) =>
    objects
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((object): VolumeEffect => ({ do: 'delete', kind, name: nameOf(object) })),
  );
  const names = left.flatMap(([kind, objects]) => objects.map((object) => `${kind} ${nameOf(object)}`));
  if (names.length === 0) return { effects: [{ do: 'release-volume' }] };
  return { effects, waitsFor: `still there: ${names.join(', ')}` };
}
