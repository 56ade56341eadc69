import { isAppError } from '@lateen/errors';
import { retry } from '@lateen/kernel';
import type { LiveEngine } from './live-engine.ts';

const backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };
/** Errors after which the replica need not be told any more. */
const final = ['GENERATION_OVER', 'INSTANCE_NOT_FOUND', 'REPLICA_FOREIGN', 'REPLICA_LAGS', 'API_VERSION'];

/**
 * Tells each replica that it has been compared completely: writes that an earlier kill lost are back. Retried as long as the replica is in the set
 * and the engine lives; until then a replica that was killed before counts as one that may lack writes, which is safe.
 */
export async function tellCompared(engine: LiveEngine): Promise<void> {
  const { ports, replicas, ended } = engine.parts;
  const tell = async (name: string) => {
    const policy = {
      backoff,
      mayRetry: (error: unknown) => engine.set.state.modes.has(name) && !final.some((code) => isAppError(error, code)),
    };
    try {
      await retry(
        ports,
        policy,
        () => replicas.call(name, ended, (control, o) => control.compared(replicas.of(name), o)),
        ended,
      );
    } catch (error) {
      if (!ended.aborted)
        ports.log.warn({ replica: name, err: error }, 'a replica could not be notified of its comparison');
    }
  };
  await Promise.all(engine.readable.map(tell));
}
