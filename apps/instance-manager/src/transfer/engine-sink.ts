import type { ReplicaLink } from '@lateen/block-engine';
import { type Call, type EngineOf, hostError, type Instance, type InstanceHost } from '@lateen/block-engine';
import type { BlockSink } from '@lateen/block-store';
import type { Clock } from '@lateen/kernel';

export interface EngineSinkPorts {
  /** Connects to the process of an engine of this node, by its socket. */
  connectHost(engine: string): Pick<InstanceHost, 'watch'> & Disposable;
  /** Connects to the volume that it serves to its front end. */
  connectVolume(path: string, o: Call): Promise<ReplicaLink>;
  clock: Clock;
}

/** A running engine answers at once. */
const answerMs = 20_000;

/**
 * The volume of an engine that runs on this node, written as its front end does. It is bound to this engine's run: another engine of its name or
 * another generation is never written to.
 * @throws AppError `INSTANCE_NOT_FOUND`, `GENERATION_OVER`, `HOST_UNREACHABLE`
 */
export async function engineSink(
  { connectHost, connectVolume, clock }: EngineSinkPorts,
  of: EngineOf,
  { signal }: Call,
): Promise<BlockSink & AsyncDisposable> {
  using host = connectHost(of.engine);
  const told = () => runningEngine(host, of, AbortSignal.any([signal, clock.deadline(answerMs)]));
  const before = await told();
  const link = await connectVolume(before.path, { signal });
  try {
    // Sockets of all generations have the same path: this one may have belonged to another generation when the connection was made.
    const { uuid, sizeBytes } = await told();
    if (uuid !== before.uuid) throw over(of);
    return {
      sizeBytes,
      write: (at, data, o) => link.write(at, data, o),
      zero: (at, lengthBytes, o) => link.zero(at, lengthBytes, o),
      flush: () => link.flush(),
      [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
    };
  } catch (error) {
    await link[Symbol.asyncDispose]();
    throw error;
  }
}

async function runningEngine(host: Pick<InstanceHost, 'watch'>, of: EngineOf, signal: AbortSignal) {
  for await (const event of host.watch({ signal })) {
    if (event.type === 'synced') break;
    if (event.type !== 'changed' || event.instance.kind !== 'engine' || event.instance.name !== of.engine) continue;
    return running(event.instance, of);
  }
  throw hostError('INSTANCE_NOT_FOUND', `engine ${of.engine} does not run here`);
}

function running({ generation, state, endpoint, engine, uuid }: Instance, of: EngineOf) {
  if (generation !== of.generation) throw over(of);
  if (state !== 'running' || endpoint === undefined || engine === undefined)
    throw hostError('INSTANCE_NOT_FOUND', `engine ${of.engine} does not run here: it is ${state}`);
  return { path: endpoint, sizeBytes: engine.sizeBytes, uuid };
}

const over = ({ engine, generation }: EngineOf) =>
  hostError('GENERATION_OVER', `engine ${engine} does not run under generation ${generation} any more`);
