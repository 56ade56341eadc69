import { durationText } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import { generationOf, type Replica, storageAnnotations } from '@lateen/storage-types';
import { allKilledEvent, areAllKilled, bestToRead } from '../killed-replicas.ts';
import { killedInOf, nameOf, replicaText, startProblemOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import {
  addressOf,
  isBeingDeleted,
  isLost,
  promisedGeneration,
  startCandidates,
  startingOf,
  wholeAddresses,
} from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/**
 * How long a replica whose host answers may take: when a node comes back, it may be queued behind the replicas of a hundred other volumes. Marking
 * all of them as failed would rebuild each of them.
 */
const slowStartMs = 90_000;

/** A host that starts one replica after the other is waited for while it makes progress, but at most this long. */
const slowestStartMs = 1_800_000;

/** By then an engine that got no answer from a replica serves no reads any more (its lease is the reply timeout). */
const leaseFactor = 1.25;

/**
 * A generation has begun: each replica that counts either promises it, or is recorded as failed before the engine may start. No replica is failed
 * before another one has promised, so the volume waits for its nodes instead of failing its last replica because they do not answer.
 */
export const letStart: VolumeStep = (seen, _, nowMs) => {
  const candidates = startCandidates(seen);
  const run = runEffects(seen, candidates);
  if (run.length > 0) return { effects: run, waitsFor: 'its replicas are started' };
  const generation = generationOf(seen.engine ?? { metadata: {} }) ?? 0;
  const silent = candidates.filter((replica) => addressOf(replica, generation) === undefined);
  if (candidates.length > 0 && candidates.every((replica) => killedInOf(replica) === generation)) return again(seen);
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
    return {
      waitsFor: silent.every(({ status }) => status?.currentState === 'error')
        ? `no replica with all data could be started: ${names}`
        : `every replica with all data is on a node that does not answer: ${names}`,
    };
  const waitMs = (replica: Replica): number =>
    seen.answering?.has(replica.spec.nodeID ?? '') === true ? slowStartMs : replyTimeoutMs(seen);
  const isLate = (replica: Replica): boolean => waitedMs(seen, replica) >= waitMs(replica);
  const failing = silent.filter((replica) => isLate(replica) || replica.status?.currentState === 'error');
  const staying = candidates.filter((replica) => !failing.includes(replica));
  const better = failing.filter((replica) => mayBeBetter(seen, replica));
  if (areAllKilled(staying) && better.length > 0)
    return {
      waitsFor: `those that answer were killed while they were in use, and may lack writes that others have: ${better.map(replicaText).join(', ')}`,
    };
  // A replica that has promised and no longer serves may be the last usable one: it is waited for like the others.
  const keepsOne = staying.length > 0;
  if (failing.length === 0 || !keepsOne) {
    const reason = `replicas have not promised the start yet: ${names}`;
    const coming = silent
      .filter((replica) => !isLate(replica))
      .map((replica) => waitMs(replica) - waitedMs(seen, replica));
    return coming.length === 0
      ? { waitsFor: reason }
      : { waitsFor: reason, again: { afterMs: Math.min(...coming), reason } };
  }
  const failedAt = apiTime(nowMs);
  const effects = failing.map((replica): VolumeEffect => {
    const within = isLate(replica) ? ` within ${durationText(waitMs(replica))}` : '';
    const problem = startProblemOf(replica)?.message ?? '';
    const why = problem === '' ? '' : `: ${problem}`;
    const cause = `it did not promise start ${generation} of the engine${within}${why}`;
    return { do: 'fail-replica', replica: nameOf(replica), failedAt, cause };
  });
  return { effects, waitsFor: `replicas that do not answer are recorded as failed: ${names}`, ends: true };
}

/** Time since the start began; if the host answers, time since it last started another replica, which was earlier in the queue. */
function waitedMs({ start, answering, startedAgoMs }: VolumeSeen, { spec: { nodeID = '' } }: Replica): number {
  const { sinceGenerationMs } = start;
  if (answering?.has(nodeID) !== true || sinceGenerationMs >= slowestStartMs) return sinceGenerationMs;
  return Math.min(sinceGenerationMs, startedAgoMs?.get(nodeID) ?? sinceGenerationMs);
}

/** It may still report that it was not killed: its node is not down, and it has not failed to start. */
const mayBeBetter = (seen: VolumeSeen, replica: Replica): boolean =>
  killedInOf(replica) === undefined &&
  replica.status?.currentState !== 'error' &&
  !isLost(seen, replica.spec.nodeID ?? '');

/** All replicas that promised this start have been killed since: they can only serve another start. */
function again({ engine }: VolumeSeen): StepResult {
  const waitsFor = 'all replicas were killed after they had promised the start, and another one begins';
  if (engine === undefined) return { waitsFor };
  const { nodeID = '', disableFrontend = false } = engine.spec;
  const readPrimary = engine.metadata.annotations?.[storageAnnotations.readPrimary];
  const effect: VolumeEffect = {
    do: 'begin-start',
    from: generationOf(engine) ?? 0,
    nodeID,
    proof: startingOf(engine) === 'ended' ? 'ended' : 'unproved',
    addresses: wholeAddresses(engine),
    disableFrontend,
    ...(readPrimary === undefined ? {} : { readPrimary }),
  };
  return { effects: [effect], waitsFor, ends: true };
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
  const reason =
    'the read lease of the last engine has to expire, because it is not known whether that engine has ended';
  return { waitsFor: reason, again: { afterMs: leftMs, reason } };
}

function go(seen: VolumeSeen, replicas: readonly Replica[], generation: number): StepResult {
  const addresses = Object.fromEntries(
    replicas.map((replica) => [nameOf(replica), addressOf(replica, generation) ?? '']),
  );
  const before = seen.engine?.metadata.annotations?.[storageAnnotations.readPrimary];
  const sound = bestToRead(replicas).map(nameOf);
  const readPrimary = before === undefined || sound.includes(before) ? before : sound[0];
  const primary = readPrimary === undefined ? {} : { readPrimary };
  const isLoss = readPrimary !== undefined && areAllKilled(replicas);
  const after: VolumeEffect = { do: 'let-start', addresses, ...primary };
  return {
    effects: [after],
    events: isLoss ? [{ ...allKilledEvent(replicas, readPrimary), after }] : [],
    waitsFor: `the engine starts on ${seen.engine?.spec.nodeID}`,
  };
}
