import { generationOf, type Replica, storageAnnotations, volumeStateOf } from '@lateen/storage-types';
import { pendingContent } from '../../content/content-of.ts';
import { bestToRead } from '../killed-replicas.ts';
import { byName, modeOf, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import {
  isLost,
  isServing,
  lostText,
  startCandidates,
  startingOf,
  wantedReplicas,
  wholeAddresses,
} from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { letStart } from './let-start.ts';

/** Delay between two starts when the first did not end cleanly. */
export const restartMs = 5_000;

/** Leads from a complete set of objects to an attached volume; each start has its own generation. */
export const attach: VolumeStep = (seen, status, nowMs) => {
  const state = volumeStateOf(seen.volume);
  if (state === 'creating') return created(seen);
  if (state === 'detached') return (seen.volume.spec.nodeID ?? '') === '' ? undefined : begin(seen);
  if (state !== 'attaching') return undefined;
  return startingOf(seen.engine) === undefined ? served(seen) : letStart(seen, status, nowMs);
};

function created(seen: VolumeSeen): StepResult {
  const { spec, status } = seen.volume;
  const restored = spec.Standby === true ? { isStandby: true } : {};
  if (seen.replicas.length < wantedReplicas(seen) || seen.engine === undefined)
    return { waitsFor: 'its objects are made' };
  return {
    status: {
      state: 'detached',
      currentNodeID: '',
      currentImage: spec.image ?? '',
      ...restored,
      ...(status?.actualSize === undefined ? { actualSize: 0 } : {}),
    },
  };
}

function begin(seen: VolumeSeen): StepResult {
  const { volume, engine, start } = seen;
  const nodeID = volume.spec.nodeID ?? '';
  const from = engine === undefined ? undefined : generationOf(engine);
  if (engine === undefined || from === undefined) return { waitsFor: 'the generation of the engine cannot be read' };
  if (isLost(seen, nodeID)) return { waitsFor: `${lostText(seen, nodeID)}, so it cannot be attached there` };
  const candidates = startCandidates(seen);
  if (candidates.length === 0) return { waitsFor: 'no replica with all data can be used' };
  const clean = endedCleanly(seen, from);
  const first = from === 0 || startingOf(engine) !== undefined;
  if (!first && !clean && start.sinceGenerationMs < restartMs) {
    const reason = 'the engine has just ended, and is started again after a while';
    return { waitsFor: reason, again: { afterMs: restartMs - start.sinceGenerationMs, reason } };
  }
  const readPrimary = clean || from === 0 ? undefined : primaryAmong(seen, candidates);
  const effect: VolumeEffect = {
    do: 'begin-start',
    from,
    nodeID,
    proof: proofOf(seen, from),
    addresses: wholeAddresses(engine),
    // Whatever is requested: the device of a volume without its content would look like an empty volume.
    disableFrontend: pendingContent(volume) !== undefined || (volume.spec.disableFrontend ?? false),
    ...(readPrimary === undefined ? {} : { readPrimary }),
  };
  return { status: { state: 'attaching' }, effects: [effect], waitsFor: `the engine starts on ${nodeID}` };
}

const annotationOf = ({ engine }: VolumeSeen, key: 'cleanStop' | 'readPrimary'): string | undefined =>
  engine?.metadata.annotations?.[storageAnnotations[key]];

/** Every write of the last generation is on every replica of that generation. */
const endedCleanly = (seen: VolumeSeen, generation: number): boolean =>
  annotationOf(seen, 'cleanStop') === String(generation);

/** A generation whose engine was never allowed to start adds no knowledge about earlier engines. */
function proofOf({ engine }: VolumeSeen, from: number): 'ended' | 'unproved' {
  const before = startingOf(engine);
  if (before !== undefined) return before === 'ended' ? 'ended' : 'unproved';
  return from === 0 || (engine?.status?.currentState ?? 'stopped') === 'stopped' ? 'ended' : 'unproved';
}

/**
 * Of the replicas that were not killed: the same as after the last unclean end, else the one that was in use last; the first by name on a tie. Facts
 * that are not known yet arrive with the promises: the start decides again then.
 */
function primaryAmong(seen: VolumeSeen, candidates: readonly Replica[]): string | undefined {
  const times = seen.engine?.status?.replicaTransitionTimeMap ?? {};
  const since = (replica: Replica) =>
    modeOf(seen.engine, nameOf(replica)) === 'RW' ? Date.parse(times[nameOf(replica)] ?? '') || 0 : -1;
  const sound = bestToRead(candidates);
  const newest = [...sound].sort((a, b) => since(b) - since(a) || byName(a, b))[0];
  const before = sound.find((replica) => nameOf(replica) === annotationOf(seen, 'readPrimary'));
  return (before ?? newest)?.metadata.name;
}

function served(seen: VolumeSeen): StepResult {
  const { engine, volume } = seen;
  const nodeID = engine?.spec.nodeID ?? '';
  const disabled = engine?.spec.disableFrontend ?? false;
  if (!isServing(engine)) return { waitsFor: `the engine starts on ${nodeID}` };
  if (!disabled && (engine.status?.endpoint ?? '') === '') return { waitsFor: `the device is made on ${nodeID}` };
  return {
    status: {
      state: 'attached',
      currentNodeID: nodeID,
      currentImage: volume.spec.image ?? '',
      frontendDisabled: disabled,
    },
  };
}
