import { apiTime } from '@lateen/kube';
import { generationOf, type Replica } from '@lateen/storage-types';
import { allKilledEvent } from '../killed-replicas.ts';
import { nameOf } from '../replica-facts.ts';
import { decideRobustness } from '../robustness.ts';
import { decideSalvage, type SalvageOf } from '../salvage.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { startingOf, wholeAddresses } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

export const robustness: VolumeStep = (seen, _, nowMs) => {
  const { engine, volume, replicas } = seen;
  const decided = decideRobustness({ volume, replicas, nowMs, ...(engine === undefined ? {} : { engine }) });
  const status = { robustness: decided.robustness, lastDegradedAt: decided.lastDegradedAt };
  const events = decided.event === undefined ? [] : [decided.event];
  const why = `no replica can be used: ${decided.causes.join('; ')}`;
  return { status, events, ...(decided.robustness === 'faulted' ? { waitsFor: why } : {}) };
};

/** Salvages a volume whose replicas have all failed, when that is safe. */
export const salvage: VolumeStep = (seen, _, nowMs) => {
  const { engine, volume, replicas, cluster, settings } = seen;
  const decided = decideSalvage({ volume, replicas, cluster, settings, ...(engine === undefined ? {} : { engine }) });
  if (decided.kind === 'none') return undefined;
  if (decided.kind === 'wait') return { waitsFor: decided.because };
  return decided.clearModes ? clearModes(seen) : takeBack(decided, replicas, nowMs);
};

/** Begins a new generation: the engine controller then clears the modes, and no older engine can record anything. */
function clearModes({ engine }: VolumeSeen): StepResult {
  const waitsFor = 'the modes of the last engine are cleared before a replica is taken back';
  if (engine === undefined || startingOf(engine) !== undefined) return { waitsFor, ends: true };
  const effect: VolumeEffect = {
    do: 'begin-start',
    from: generationOf(engine) ?? 0,
    nodeID: engine.spec.nodeID ?? '',
    proof: (engine.status?.currentState ?? 'stopped') === 'stopped' ? 'ended' : 'unproved',
    addresses: wholeAddresses(engine),
    disableFrontend: engine.spec.disableFrontend ?? false,
  };
  return { effects: [effect], waitsFor, ends: true };
}

function takeBack(decided: SalvageOf, of: readonly Replica[], nowMs: number): StepResult {
  const { replicas, readPrimary, mayLackWrites, allKilled } = decided;
  const now = apiTime(nowMs);
  const clear = replicas.map((replica): VolumeEffect => ({ do: 'clear-failure', replica, at: now }));
  const loss = mayLackWrites ? '; the last writes may be missing, since no replica is left that has all of them' : '';
  const killed = of.filter((replica) => allKilled && replicas.includes(nameOf(replica)));
  // The first of them is enough: no salvage is decided for a volume that has a replica again.
  const [after] = clear;
  const told = after === undefined ? {} : { after };
  const names = `Replicas ${replicas.join(', ')} are used again`;
  return {
    status: { robustness: 'unknown', lastAutoSalvagedAt: now, remountRequestedAt: now },
    effects: [{ do: 'read-from', replica: readPrimary }, ...clear],
    events: [
      { type: mayLackWrites ? 'Warning' : 'Normal', reason: 'Salvaged', message: `${names}${loss}`, ...told },
      ...(allKilled ? [{ ...allKilledEvent(killed, readPrimary), ...told }] : []),
    ],
    waitsFor: 'the replicas are taken back',
    ends: true,
  };
}
