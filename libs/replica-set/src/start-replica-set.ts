import { blockIoError } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import { orAborted } from '@lateen/kernel';
import { Comparing } from './compare-heads.ts';
import { Core } from './core.ts';
import type { ReplicaSetParts } from './parts.ts';
import { Pause } from './pause.ts';
import { assertSize, Rebuild } from './rebuild.ts';
import type { Comparison, ReplicaSet, ReplicaSetOptions, ReplicaSetState } from './replica-set.ts';
import { target } from './target.ts';
import { watchLinks } from './watch-links.ts';
import { Flush } from './write-path.ts';

/**
 * Starts the engine of one generation over replicas that have promised it.
 * @throws AppError `NO_REPLICA`, `WRONG_SIZE`, `REPLICA_EXISTS`
 */
export function startReplicaSet(options: ReplicaSetOptions, parts: Partial<ReplicaSetParts> = {}): ReplicaSet {
  const core = new Core(options, parts);
  addReplicas(core, options);
  if (options.comparison !== undefined) compare(core, options.comparison);
  const pause = new Pause(core);
  const rebuild = new Rebuild(core, pause);
  void watchLinks(core).catch((error) => core.end(error));
  return {
    target: target(core),
    get state() {
      return stateOf(core, pause);
    },
    changes: core.changes,
    pause: (o) => pause.begin(o),
    addWriting: (name, link, { widenBytes }) => rebuild.addWriting(name, link, widenBytes),
    relink: (name, open) => rebuild.relink(name, open),
    promote: (name, recordHealthy) => rebuild.promote(name, recordHealthy),
    drop: (name, cause) => rebuild.drop(name, cause),
    resize: (sizeBytes) => {
      pause.assertOn('a volume changes its size');
      if (sizeBytes < BigInt(core.sizeBytes)) throw new AppError('WRONG_SIZE', 'a volume never becomes smaller');
      for (const { name, link } of core.members) assertSize(name, link, Number(sizeBytes));
      core.sizeBytes = Number(sizeBytes);
    },
    stop: ({ signal }) => stop(core, signal),
  };
}

function compare(core: Core, comparison: Comparison): void {
  const comparing = new Comparing(core, comparison);
  core.comparing = comparing;
  void comparing.run().then(
    () => {
      core.comparing = undefined;
      core.options.log.info({}, 'all replicas are equal');
      core.changes.tell({ kind: 'compared' });
    },
    (error) => core.end(error),
  );
}

/** Each member has one bit of a number. */
const replicasMax = 30;

function addReplicas(core: Core, { replicas }: ReplicaSetOptions): void {
  if (replicas.length === 0 || replicas.length > replicasMax)
    throw new AppError('NO_REPLICA', `an engine has 1 to ${replicasMax} replicas, not ${replicas.length}`);
  for (const { name, link, local = false } of replicas) {
    assertSize(name, link, core.sizeBytes);
    if (core.members.some((member) => member.name === name))
      throw new AppError('REPLICA_EXISTS', `replica ${name} is given twice`);
    core.add({ name, mode: 'RW', link, isLocal: local });
  }
}

function stateOf(core: Core, pause: Pause): ReplicaSetState {
  const { requests, bytes } = core.gate.pending;
  return {
    generation: core.options.generation,
    sizeBytes: BigInt(core.sizeBytes),
    modes: new Map(core.members.map(({ name, mode }) => [name, mode])),
    pendingRequests: requests,
    pendingBytes: bytes,
    unrecorded: core.hold.failures,
    holdingSince: core.hold.since,
    paused: pause.isOn,
    comparing: core.comparing !== undefined,
    refused: core.refused,
    over: core.over,
  };
}

const stopped = () => blockIoError('ESHUTDOWN', 'the engine has stopped');

async function stop(core: Core, signal: AbortSignal): Promise<{ clean: boolean }> {
  if (core.over !== undefined) return { clean: false };
  try {
    await orAborted(lastFlush(core), AbortSignal.any([signal, core.overSignal]));
  } catch {
    core.end(stopped(), { isStop: true });
    return { clean: false };
  }
  const clean = core.over === undefined && core.comparing === undefined;
  core.end(stopped(), { isStop: true });
  return { clean };
}

async function lastFlush(core: Core): Promise<void> {
  await core.gate.lastOut(stopped());
  await new Promise<void>((resolve, reject) => {
    const flush = new Flush(core, 0, resolve, reject);
    core.gate.force(flush);
  });
}
