import { hostError, type StatusLink } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import { claimGeneration, type EngineRun } from '@lateen/instance-host';
import { type Comparison, startReplicaSet } from '@lateen/replica-set';
import { headExtents, layersToCompare } from './head-extents.ts';
import type { LiveEngine } from './live-engine.ts';

/**
 * Claims the generation, connects, starts the replica set and serves it. A replica that cannot be reached is recorded as failed before anything is
 * served; except the one whose data counts, and the last one: then the start has failed, and the manager that starts the next generation decides
 * again.
 * @param o.start names this start
 * @throws `GENERATION_OVER`, `NOT_POSSIBLE_NOW`; the signal's reason on abort
 */
export async function startEngine(
  engine: LiveEngine,
  { run, start }: { run: EngineRun; start: string },
  signal: AbortSignal,
): Promise<void> {
  const { ports, limits, request } = engine.parts;
  await claimGeneration(ports, { run, start }, signal);
  const links = await connectAll(engine, signal);
  try {
    engine.set = startReplicaSet({
      volume: request.volume,
      generation: request.generation,
      sizeBytes: request.sizeBytes,
      replicas: [...links].map(([name, link]) => ({ name, link, local: engine.parts.replicas.address(name).local })),
      ...(request.compareHeads ? { comparison: comparisonOf(engine, [...links.keys()], limits.statusBytes) } : {}),
      recordFailure: (failure, ends) => engine.recordFailure(failure, ends),
      clock: ports.clock,
      random: ports.random,
      log: ports.log,
      ...(ports.metrics === undefined ? {} : { metrics: ports.metrics }),
      limits: { replyTimeoutMs: request.replyTimeoutMs },
    });
  } catch (error) {
    await Promise.allSettled([...links.values()].map((link) => link[Symbol.asyncDispose]()));
    throw error;
  }
  engine.server = await ports.serve(engine.set.target, request);
}

async function connectAll(engine: LiveEngine, signal: AbortSignal): Promise<ReadonlyMap<string, StatusLink>> {
  const { request, replicas, ports } = engine.parts;
  const links = new Map<string, StatusLink>();
  const failed = new Map<string, unknown>();
  const connect = async (replica: string) => {
    try {
      links.set(replica, await replicas.connect(replica, signal));
    } catch (error) {
      failed.set(replica, error);
    }
  };
  await Promise.all(request.replicas.map(({ replica }) => connect(replica)));
  try {
    signal.throwIfAborted();
    for (const [replica, error] of failed) mustNotStartWithout(engine, replica, error, links.size);
    for (const [replica, error] of failed) {
      const kind = isAppError(error, 'LINK_REFUSED') ? 'refused' : 'lost';
      const message = `not reached at the start: ${error instanceof Error ? error.message : error}`;
      await engine.recordFailure({ replica, cause: { kind, message }, at: ports.clock.now(), last: false }, signal);
    }
    return new Map([...links].sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch (error) {
    await Promise.allSettled([...links.values()].map((link) => link[Symbol.asyncDispose]()));
    throw error;
  }
}

function mustNotStartWithout({ parts }: LiveEngine, replica: string, cause: unknown, reached: number): void {
  if (reached > 0 && parts.request.readPrimary !== replica) return;
  const why = reached === 0 ? 'no replica can be reached' : `${replica}, whose bytes count, cannot be reached`;
  throw hostError('NOT_POSSIBLE_NOW', `engine ${parts.request.name} cannot start: ${why}`, {
    cause,
    nextStep: 'Nothing to do: the next start asks the replicas again.',
  });
}

function comparisonOf(engine: LiveEngine, names: readonly string[], statusBytes: number): Comparison {
  const { request, replicas } = engine.parts;
  const local = request.replicas.find((address) => address.local && names.includes(address.replica));
  const primary = request.readPrimary ?? local?.replica ?? names[0] ?? '';
  engine.primary = primary;
  return { primary, extents };

  async function* extents() {
    // The set begins to compare during its construction, when the caller does not have it yet.
    await Promise.resolve();
    const there = engine.readable;
    const chains = await Promise.all(there.map(async (name) => [name, await chainOf(engine, name)] as const));
    const layers = layersToCompare(new Map(chains));
    const heads = there.flatMap((name) => {
      const link = replicas.link(name);
      return link === undefined ? [] : [{ link, layers: layers.get(name) ?? Number.POSITIVE_INFINITY }];
    });
    yield* headExtents(heads, { sizeBytes: engine.set.state.sizeBytes, statusBytes });
  }
}

/** Undefined when the replica does not report its chain: then all of its layers are compared. */
async function chainOf({ parts }: LiveEngine, replica: string) {
  const { replicas, ended, ports } = parts;
  try {
    return await replicas.call(replica, ended, (control, o) => control.layers(replicas.of(replica), o));
  } catch (error) {
    ended.throwIfAborted();
    ports.log.warn({ replica, err: error }, 'a replica does not report its snapshots: all of its layers are compared');
    return undefined;
  }
}
