import { apiTime } from '@lateen/kube';
import { generationOf, type Replica, storageAnnotations } from '@lateen/storage-types';
import { nameOf, replicaText } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { addressOf, isBeingDeleted, promisedGeneration, startCandidates, startingOf } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/** By then an engine that a replica has left without an answer serves no reads any more (its lease is the reply timeout). */
const leaseFactor = 1.25;

/**
 * A generation has begun: each replica that counts promises it, or is written down as failed before the engine may start. None is failed
 * before another one has promised, so that the volume waits for its nodes rather than lose its last replica to their silence.
 */
export const letStart: VolumeStep = (seen, _, nowMs) => {
  const candidates = startCandidates(seen);
  const run = runEffects(seen, candidates);
  if (run.length > 0) return { effects: run, waitsFor: 'its replicas are started' };
  const generation = generationOf(seen.engine ?? { metadata: {} }) ?? 0;
  const silent = candidates.filter((replica) => addressOf(replica, generation) === undefined);
  if (silent.length > 0) return waitOrFail(seen, candidates, silent, nowMs);
  if (candidates.length === 0) return { waitsFor: 'no replica with all data can be used' };
  return waitForOthers(seen) ?? go(seen, candidates, generation);
};

function runEffects({ replicas }: VolumeSeen, candidates: readonly Replica[]): VolumeEffect[] {
  return [...replicas]
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .flatMap((replica): VolumeEffect[] => {
      const runs = replica.spec.desireState === 'running';
      const name = nameOf(replica);
      if (candidates.includes(replica)) return runs ? [] : [{ do: 'run-replica', replica: name }];
      return runs && !isBeingDeleted(replica) ? [{ do: 'stop-replica', replica: name }] : [];
    });
}

function waitOrFail(
  seen: VolumeSeen,
  candidates: readonly Replica[],
  silent: readonly Replica[],
  nowMs: number,
): StepResult {
  const names = silent.map(replicaText).join(', ');
  const generation = generationOf(seen.engine ?? { metadata: {} }) ?? 0;
  if (!candidates.some((replica) => promisedGeneration(replica) === generation))
    return { waitsFor: `every replica with all data is on a node that does not answer: ${names}` };
  const { sinceGenerationMs } = seen.start;
  const waitMs = replyTimeoutMs(seen);
  const late = sinceGenerationMs >= waitMs;
  const failing = silent.filter(({ status }) => late || status?.currentState === 'error');
  // One that has promised and does not serve any more may be the last that can: it is waited for like the others.
  const keepsOne = failing.length < candidates.length;
  if (failing.length === 0 || !keepsOne) {
    const reason = `replicas have not promised the start yet: ${names}`;
    return late ? { waitsFor: reason } : { waitsFor: reason, again: { afterMs: waitMs - sinceGenerationMs, reason } };
  }
  const failedAt = apiTime(nowMs);
  const effects = failing.map((replica): VolumeEffect => {
    const cause = `it did not promise start ${generation} of the engine${late ? ` within ${waitMs / 1000} s` : ''}`;
    return { do: 'fail-replica', replica: nameOf(replica), failedAt, cause };
  });
  return { effects, waitsFor: `silent replicas are written down as failed: ${names}`, ends: true };
}

const replyTimeoutMs = ({ settings }: VolumeSeen): number => settings.number('engine-replica-timeout') * 1000;

function waitForOthers(seen: VolumeSeen): StepResult | undefined {
  const { engine, start } = seen;
  const { currentState = 'stopped', replicaModeMap } = engine?.status ?? {};
  if (currentState !== 'stopped' || Object.keys(replicaModeMap ?? {}).length > 0)
    return { waitsFor: 'the modes of the last engine are cleared first' };
  if (startingOf(engine) === 'ended') return undefined;
  const leftMs = leaseFactor * replyTimeoutMs(seen) - (start.sinceFirstPromiseMs ?? 0);
  if (leftMs <= 0) return undefined;
  const reason = 'the read lease of the last engine runs out, since nobody knows whether it has ended';
  return { waitsFor: reason, again: { afterMs: leftMs, reason } };
}

function go(seen: VolumeSeen, replicas: readonly Replica[], generation: number): StepResult {
  const addresses = Object.fromEntries(
    replicas.map((replica) => [nameOf(replica), addressOf(replica, generation) ?? '']),
  );
  const before = seen.engine?.metadata.annotations?.[storageAnnotations.readPrimary];
  const readPrimary = before === undefined || before in addresses ? before : Object.keys(addresses)[0];
  const primary = readPrimary === undefined ? {} : { readPrimary };
  return {
    effects: [{ do: 'let-start', addresses, ...primary }],
    waitsFor: `the engine starts on ${seen.engine?.spec.nodeID}`,
  };
}
