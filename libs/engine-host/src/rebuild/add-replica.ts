import { type EngineAddReplica, hostError, type RebuildProgress } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { RebuildJob } from './rebuild-job.ts';

/**
 * Rebuilds a replica while the volume is in use, one at a time. A repeated call joins the running rebuild; nothing is done for a replica that is read
 * and written already. It continues when its progress is not read.
 * @throws `NOT_POSSIBLE_NOW` while replicas are compared or another one is rebuilt, and the error that has ended the rebuild
 */
export async function* addReplica(
  engine: LiveEngine,
  request: EngineAddReplica,
  signal: AbortSignal,
): AsyncGenerator<RebuildProgress, void, undefined> {
  const name = request.replica.replica;
  if (engine.readable.includes(name)) return;
  if (engine.job !== undefined && engine.job.replica !== name)
    throw hostError('NOT_POSSIBLE_NOW', `${engine.job.replica} is being rebuilt: ${name} only afterwards`);
  engine.job ??= begin(engine, request);
  yield* engine.job.watch(signal);
}

function begin(engine: LiveEngine, request: EngineAddReplica): RebuildJob {
  const { replica } = request.replica;
  engine.assertCompared('a replica is rebuilt');
  if (engine.members.includes(replica) || engine.isFailing(replica))
    throw hostError('NOT_POSSIBLE_NOW', `${replica} is in use, or its failure is not recorded yet`);
  engine.purging?.abort(hostError('NOT_POSSIBLE_NOW', `${replica} is being rebuilt: its space is freed afterwards`));
  engine.parts.replicas.add(request.replica);
  return new RebuildJob(engine, request);
}
