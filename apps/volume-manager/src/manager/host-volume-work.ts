import { hostError } from '@lateen/block-engine';
import type { Clock, Logger } from '@lateen/kernel';
import { generationOf } from '@lateen/storage-types';
import { type HostDirectory, hostCallMs, type StorageCaches } from '@lateen/volume-controllers';
import type { EngineAtWork, VolumeWork } from '../rest/volume-actions/volume-work.ts';

export interface HostVolumeWorkPorts {
  readonly caches: Pick<StorageCaches, 'engines'>;
  readonly hosts: Pick<HostDirectory, 'host'>;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts work that continues without its caller. */
  readonly stopping: AbortSignal;
}

/** Work on a running engine for clients of the REST API, carried out by its instance manager. Any manager can do it: it need not own the volume. */
export function hostVolumeWork(ports: HostVolumeWorkPorts): VolumeWork {
  const { caches, hosts, namespace, clock, log, stopping } = ports;
  const at = ({ engine: name, node }: EngineAtWork) => {
    const engine = caches.engines.get({ namespace, name });
    const generation = engine === undefined ? undefined : generationOf(engine);
    if (generation === undefined)
      throw hostError('INSTANCE_NOT_FOUND', `engine ${name} is not there`, {
        nextStep: 'Attach the volume, and ask again.',
      });
    return { host: hosts.host(node, { kind: 'engine', name }), of: { engine: name, generation } };
  };
  const within = ({ signal }: EngineAtWork) => ({
    signal: AbortSignal.any([signal, clock.deadline(hostCallMs.engine)]),
  });
  return {
    trim: async (request) => {
      const { host, of } = at(request);
      await host.engineTrim(of, within(request));
    },
    revert: async (request) => {
      const { host, of } = at(request);
      await host.engineRevert({ ...of, snapshot: request.snapshot }, within(request));
    },
    removeSnapshot: async (request) => {
      const { host, of } = at(request);
      await host.engineSnapshotDelete({ ...of, snapshot: request.snapshot }, within(request));
    },
    purge: async (request) => {
      const { host, of } = at(request);
      const progress = host.enginePurge(of, { signal: stopping })[Symbol.asyncIterator]();
      // The first message says that the work has begun, or why it cannot.
      const first = await progress.next();
      if (first.done === true) return;
      const rest = async () => {
        for (let next = await progress.next(); next.done !== true; next = await progress.next());
      };
      rest().catch((error: unknown) => {
        if (!stopping.aborted) log.warn({ engine: of.engine, err: error }, 'a purge of removed snapshots has ended');
      });
    },
  };
}
