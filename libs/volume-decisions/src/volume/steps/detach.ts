import { apiTime } from '@lateen/kube';
import { volumeStateOf } from '@lateen/storage-types';
import { byName, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { isLost, startingOf } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/** Detaches a volume completely that is not requested on its node any more, or whose engine has ended by itself. */
export const detach: VolumeStep = (seen, _, nowMs) => {
  const state = volumeStateOf(seen.volume);
  if (state === 'detaching') return end(seen);
  if (state !== 'attached' && state !== 'attaching') return undefined;
  const because = whyDetach(seen);
  if (because === undefined) return undefined;
  const unexpected = because.unexpected && state === 'attached';
  const message = `Detached unexpectedly: ${because.text}`;
  return {
    // Pods that have it mounted have a dead device, which is removed only when no mount is left.
    status: { state: 'detaching', ...(unexpected ? { remountRequestedAt: apiTime(nowMs) } : {}) },
    effects: stopEngine(seen),
    events: unexpected ? [{ type: 'Warning', reason: 'DetachedUnexpectedly', message }] : [],
    waitsFor: because.text,
    ends: true,
  };
};

function whyDetach(seen: VolumeSeen): { text: string; unexpected: boolean } | undefined {
  const { volume, engine } = seen;
  const nodeID = engine?.spec.nodeID ?? '';
  const wanted = volume.spec.nodeID ?? '';
  if (wanted !== nodeID)
    return { text: wanted === '' ? `it leaves ${nodeID}` : `it goes to ${wanted}`, unexpected: false };
  if (engine === undefined) return { text: 'its engine is gone', unexpected: true };
  if (startingOf(engine) !== undefined) return undefined;
  if (!seen.cluster.nodes.has(nodeID))
    return { text: `node ${nodeID} is not part of the cluster any more`, unexpected: true };
  const { currentState = 'stopped', started = false } = engine.status ?? {};
  const ended = currentState === 'error' || (started && ['stopped', 'stopping'].includes(currentState));
  return ended ? { text: `the engine on ${nodeID} has ended`, unexpected: true } : undefined;
}

function end(seen: VolumeSeen): StepResult {
  const { engine } = seen;
  const asked = stopEngine(seen);
  const state = engine?.status?.currentState ?? 'stopped';
  const nodeID = engine?.spec.nodeID ?? '';
  if (state !== 'stopped' && !isLost(seen, nodeID))
    return { effects: asked, waitsFor: `the engine on ${nodeID} has to end`, ends: true };
  const effects = [...asked, ...stopReplicas(seen)];
  const running = seen.replicas.filter(({ spec, status }) => {
    return (status?.currentState ?? 'stopped') !== 'stopped' && !isLost(seen, spec.nodeID ?? '');
  });
  if (effects.length > 0 || running.length > 0) {
    const names = running.map(nameOf).sort().join(', ');
    return { effects, waitsFor: names === '' ? 'it is stopped' : `replicas have to end: ${names}`, ends: true };
  }
  return { status: { state: 'detached', currentNodeID: '', frontendDisabled: false } };
}

const stopEngine = ({ engine }: VolumeSeen): VolumeEffect[] =>
  engine === undefined || engine.spec.desireState === 'stopped' ? [] : [{ do: 'stop-engine' }];

export const stopReplicas = ({ replicas }: VolumeSeen): VolumeEffect[] =>
  [...replicas]
    .sort(byName)
    .filter(({ spec }) => spec.desireState === 'running')
    .map((replica) => ({ do: 'stop-replica', replica: nameOf(replica) }));
