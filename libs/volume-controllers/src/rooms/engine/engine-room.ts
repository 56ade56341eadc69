import { describeError, isAppError } from '@lateen/errors';
import { apiTime, keyOf, keyText } from '@lateen/kube';
import { type WorkQueue, watches } from '@lateen/kube-runtime';
import {
  type Engine,
  type EngineStatus,
  engineType,
  longhornFinalizer,
  storageAnnotations,
} from '@lateen/storage-types';
import { decideEngine, type EngineEffect, type EngineSeen } from '@lateen/volume-decisions';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeUidOf } from '../../frame/volume-of.ts';
import { watchedHosts } from '../../frame/wakes.ts';
import { within } from '../../hosts/host-calls.ts';
import { LongCalls } from '../../hosts/long-calls.ts';
import { ofPlacedInstance } from '../../owner/of-placed-instance.ts';
import { RestoreCalls } from '../../restores/restore-calls.ts';
import { progressClock } from './progress-clock.ts';

/** Engines processed in parallel: each start or stop is a call of a host that may wait for replicas. */
const workers = 16;

/** The controller of Engines: it calls the host of an engine, and writes the host's report into the status. */
export function engineRoom(context: RoomContext): Room<Engine, EngineSeen, EngineEffect> {
  const { caches, hosts, settings, clock } = context;
  const rebuilds = new LongCalls('rebuild', context);
  const purges = new LongCalls('purge', context, { repeats: 'rarer' });
  const restores = new RestoreCalls(context);
  const sinceProgressMs = progressClock(caches.engines, clock);
  return {
    name: 'engine',
    type: engineType,
    informer: caches.engines,
    ownership: (engine) => ofPlacedInstance(context, 'Engine', engine),
    watches: [
      watches(caches.replicas, ({ object }) =>
        caches.engines.byIndex('volume', object.spec.volumeName ?? '').map(keyOf),
      ),
      watchedHosts(context, caches.engines, ['engine', 'frontend']),
      ...[rebuilds, purges].map((calls) => ({
        informer: caches.engines,
        feed: (queue: WorkQueue) => calls.feed(queue),
      })),
      ...restores.watches(),
    ],
    workers,
    gather: (engine) => {
      const volumeUid = volumeUidOf(caches, engine);
      if (volumeUid === undefined)
        return { missing: `volume ${engine.spec.volumeName}, whose identity its replicas know` };
      const restore = restores.seen(engine);
      return {
        engine,
        volumeUid,
        ...(restore === undefined ? {} : { restore }),
        replicas: caches.replicas.byIndex('volume', engine.spec.volumeName ?? ''),
        host: hosts.facts(engine.spec.nodeID ?? ''),
        managers: hosts.managers(),
        settings: settings(),
        sinceProgressMs: sinceProgressMs(engine),
      };
    },
    decide: decideEngine,
    apply: (effect, pass) => apply({ context, rebuilds, purges, restores }, effect, pass),
    // An effect that has to wait for a rebuild or a comparison has not failed.
    failed: ({ do: what }, error) =>
      what === 'grow' && !isAppError(error, 'NOT_POSSIBLE_NOW')
        ? { lastExpansionError: describeError(error), lastExpansionFailedAt: apiTime(clock.now()) }
        : undefined,
    forget: (key) => {
      rebuilds.forget(keyText(key));
      purges.forget(keyText(key));
      restores.forget(key);
    },
  };
}

interface EngineRoom {
  readonly context: RoomContext;
  readonly rebuilds: LongCalls;
  readonly purges: LongCalls;
  readonly restores: RestoreCalls;
}

async function apply(
  { context: { hosts, clock, log }, rebuilds, purges, restores }: EngineRoom,
  effect: EngineEffect,
  { object, writes, signal }: Pass<Engine, EngineSeen>,
): Promise<Partial<EngineStatus> | undefined> {
  const name = object.metadata.name ?? '';
  const host = () => hosts.host(object.spec.nodeID ?? '', { kind: 'engine', name });
  switch (effect.do) {
    case 'ensure-engine':
      await within(clock, 'ensure', signal, (call) => host().ensureEngine(effect.request, call));
      return undefined;
    case 'ensure-frontend':
      await within(clock, 'ensure', signal, (call) => host().ensureFrontend(effect.request, call));
      return undefined;
    case 'stop':
      await within(clock, 'stop', signal, (call) => host().stop(effect.request, call));
      return undefined;
    case 'drop-replica':
      await within(clock, 'engine', signal, (call) => host().engineDropReplica(effect.request, call));
      return undefined;
    case 'grow':
      log.info({ engine: name, sizeBytes: effect.request.sizeBytes }, 'the engine grows');
      await within(clock, 'engine', signal, (call) => host().engineGrow(effect.request, call));
      return undefined;
    case 'add-replica': {
      const { request } = effect;
      const to = host();
      rebuilds.begin(
        keyText(keyOf(object)),
        request.replica.replica,
        (ended) => to.engineAddReplica(request, { signal: ended }),
        signal,
      );
      return undefined;
    }
    case 'purge': {
      const to = host();
      const purge = (ended: AbortSignal) => to.enginePurge(effect.request, { signal: ended });
      purges.begin(keyText(keyOf(object)), effect.what, purge, signal);
      return undefined;
    }
    case 'restore':
      restores.begin(object, effect, signal);
      return undefined;
    case 'note-clean-stop':
      await writes.change(engineType, object, (engine) => {
        const annotations = {
          ...engine.metadata.annotations,
          [storageAnnotations.cleanStop]: String(effect.generation),
        };
        return { ...engine, metadata: { ...engine.metadata, annotations } };
      });
      return undefined;
    case 'release-engine':
      await writes.release(engineType, object, longhornFinalizer);
      return undefined;
    default:
      return effect satisfies never;
  }
}
