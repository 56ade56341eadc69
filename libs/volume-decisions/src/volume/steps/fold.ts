import { apiTime } from '@lateen/kube';
import { foldFailures, wholeSet } from '../fold-failures.ts';
import { byName, modeOf, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { startingOf } from '../volume-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/** Writes failures that only the modes of the engine have into the replicas, before anything may start. */
export const fold: VolumeStep = (seen, _, nowMs) => {
  const { engine, replicas } = seen;
  const { failures, leave } = foldFailures(engine, replicas, nowMs);
  if (failures.length === 0 && leave.length === 0) return undefined;
  const effects: VolumeEffect[] = failures.map((failure) => ({ do: 'fail-replica', ...failure }));
  const addresses = Object.entries(engine?.spec.replicaAddressMap ?? {}).filter(([name]) => !leave.includes(name));
  if (leave.length > 0) effects.push({ do: 'set-addresses', addresses: Object.fromEntries(addresses) });
  return { effects, waitsFor: 'recorded failures are written into the replicas first', ends: true };
};

/**
 * Marks replicas healthy that the engine uses and that are not marked yet: those of its first start, and rebuilt ones. Only
 * the modes of the present generation count, because a start clears them and fails replicas that do not answer.
 */
export const healthyReplicas: VolumeStep = ({ engine, replicas }, _, nowMs) => {
  if (startingOf(engine) !== undefined) return undefined;
  const whole = wholeSet(engine);
  const effects = [...replicas]
    .sort(byName)
    .filter((replica) => modeOf(engine, nameOf(replica)) === 'RW' && whole.has(nameOf(replica)))
    .filter(({ spec }) => (spec.healthyAt ?? '') === '')
    .map((replica): VolumeEffect => ({ do: 'mark-healthy', replica: nameOf(replica), at: apiTime(nowMs) }));
  return effects.length === 0 ? undefined : { effects, waitsFor: 'the replicas in use are marked healthy', ends: true };
};
