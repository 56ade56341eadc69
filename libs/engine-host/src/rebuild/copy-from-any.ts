import { hostError } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { untilSilent } from '../engine/until-silent.ts';
import type { RebuildJob } from './rebuild-job.ts';
import { wholeProgress } from './whole-progress.ts';

const againMs = 1_000;

/** Copies the frozen layers, from another source when one fails; what has been copied stays. @throws the last error */
export async function copyFromAny(engine: LiveEngine, job: RebuildJob): Promise<void> {
  const { limits, ports } = engine.parts;
  job.show({ step: 'copying' });
  for (let attempt = 1; ; attempt++) {
    const sources = engine.readable.filter((name) => name in job.request.managers);
    const source = sources[(attempt - 1) % Math.max(1, sources.length)];
    if (source === undefined)
      throw hostError(
        'NOT_POSSIBLE_NOW',
        `no readable replica that ${job.replica} could be copied from has an instance manager`,
      );
    try {
      return await copyFrom(engine, job, source);
    } catch (error) {
      job.signal.throwIfAborted();
      if (attempt >= limits.copiesMax) throw error;
      ports.log.warn({ replica: job.replica, from: source, attempt, err: error }, 'a copy of layers starts again');
    }
    await ports.clock.sleep(againMs, job.signal);
  }
}

async function copyFrom(engine: LiveEngine, job: RebuildJob, source: string): Promise<void> {
  const { replicas, ports, limits } = engine.parts;
  const { request, signal } = job;
  const { replica } = request.replica;
  const control = await replicas.control(replica);
  const wanted = {
    ...replicas.of(replica),
    sourceReplica: source,
    sourceManager: request.managers[source] ?? '',
    fast: request.fast,
    ...(request.bytesPerSecond === undefined ? {} : { bytesPerSecond: request.bytesPerSecond }),
    copiesAtOnce: request.copiesAtOnce,
  };
  const chain = await replicas.call(source, signal, (other, o) => other.layers(replicas.of(source), o));
  const copied = untilSilent((ends) => control.copyLayers(wanted, { signal: ends }), {
    signal,
    clock: ports.clock,
    silentMs: limits.copySilentMs,
    who: `the copy to ${replica}`,
  });
  for await (const told of copied) {
    const { layer, layers } = told;
    job.show({ step: 'copying', from: source, layer, layers, ...wholeProgress(chain.layers, told) });
  }
}
