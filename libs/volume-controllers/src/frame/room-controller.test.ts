import type { Lease } from '@lateen/api-types';
import { eventType, leaseType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { eventRecorder, informer } from '@lateen/kube-runtime';
import {
  type EngineImage,
  engineImageType,
  type Replica,
  type ReplicaStatus,
  replicaType,
} from '@lateen/storage-types';
import { FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { type Decision, defaultSettings, type EventWish, type OwnedKind } from '@lateen/volume-decisions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostDirectory } from '../hosts/host-directory.ts';
import { holdManagerLease } from '../owner/hold-lease.ts';
import { managerDirectory } from '../owner/manager-directory.ts';
import type { Room } from './room.ts';
import { roomController } from './room-controller.ts';
import { storageCaches } from './storage-caches.ts';

const namespace = 'longhorn-system';
const aKey = { namespace, name: 'vol-r-1' };
type ToyEffect = 'a' | 'b' | 'write';
type ToyEvent = EventWish<ToyEffect>;

interface FrameWorldOptions {
  /** `status.ownerID` of the only object. */
  readonly owner?: string;
  /** Nodes of managers that have a lease at the start. */
  readonly others?: readonly string[];
  decide(seen: {
    readonly replica: Replica;
  }): Pick<Decision<ReplicaStatus, ToyEffect>, 'status' | 'effects'> & { readonly events?: readonly ToyEvent[] };
  onApply?(effect: ToyEffect): void;
  /** The kind whose rules decide the owner. */
  readonly ownership?: OwnedKind;
  /** `spec.image` of the only object, and the nodes that have this image. */
  readonly image?: string;
  readonly imageOn?: Record<string, boolean>;
}

/** One controller of one manager on node n1, over one Replica, with the given decisions. */
function frameWorld(options: FrameWorldOptions) {
  const { owner = '', others = [], decide, onApply, ownership = 'Replica', image = '', imageOn } = options;
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [
      aReplica(owner, image),
      ...others.map((node) => aLease(node, clock.now())),
      ...(imageOn === undefined ? [] : [anImage(imageOn)]),
    ],
  });
  const log = recordingLog();
  const random = seededRandom(7);
  const base = { api: cluster, kube: cluster, namespace, clock, random, log };
  const caches = storageCaches(base);
  const leases = informer({ ...base, type: leaseType });
  const managers = managerDirectory(leases, namespace, clock);
  const hosts = hostDirectory({ ...base, caches, connect: () => Promise.reject(new Error('none')) as never });
  const events = eventRecorder({ ...base, component: 'test', host: 'n1' });
  const applied: ToyEffect[] = [];
  const stop = new AbortController();
  let passes = 0;
  const room: Room<Replica, { readonly replica: Replica }, ToyEffect> = {
    name: 'toy',
    type: replicaType,
    informer: caches.replicas,
    ownership,
    watches: [],
    workers: 1,
    gather: (replica) => {
      passes += 1;
      return { replica };
    },
    decide: (seen) => {
      const { status, effects, events = [] } = decide(seen);
      return { status: { ...seen.replica.status, ...status }, effects, events };
    },
    apply: async (effect, { object, writes }) => {
      onApply?.(effect);
      applied.push(effect);
      if (effect !== 'write') return undefined;
      await writes.change(replicaType, object, (replica) => ({
        ...replica,
        metadata: { ...replica.metadata, labels: { done: 'yes' } },
      }));
      return undefined;
    },
    failed: (effect) => (effect === 'a' ? { salvageExecuted: true } : undefined),
  };
  const context = {
    ...base,
    wall: base.clock,
    self: 'n1',
    caches,
    managers,
    hosts,
    events,
    settings: () => defaultSettings,
  };
  const built = roomController(context, room);
  const done = Promise.all([
    caches.run(stop.signal),
    leases.run(stop.signal),
    managers.run(stop.signal),
    holdManagerLease({ ...base, node: 'n1' }, stop.signal),
    built.run(stop.signal),
  ]);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  return {
    clock,
    cluster,
    applied,
    type: replicaType,
    get passes() {
      return passes;
    },
    replica: () => cluster.find(replicaType, aKey),
  };
}

const aReplica = (ownerID: string, image: string): Replica => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Replica',
  metadata: { ...aKey },
  spec: { volumeName: 'vol', image },
  status: ownerID === '' ? {} : { ownerID },
});

const aLease = (node: string, nowMs: number): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name: `volume-manager-${node}` },
  spec: {
    holderIdentity: node,
    leaseDurationSeconds: 30,
    renewTime: new Date(nowMs).toISOString().replace('Z', '000Z'),
  },
});

const anImage = (nodeDeploymentMap: Record<string, boolean>): EngineImage => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'EngineImage',
  metadata: { namespace, name: 'ei-1' },
  spec: { image: 'storage:1' },
  status: { nodeDeploymentMap },
});

describe('an object whose owner needs an image', () => {
  const still = () => ({ status: {}, effects: [] });
  const needsImage = { ownership: 'Volume', image: 'storage:1' } as const;

  it('is owned although no node has the image yet, so that some manager reports what is missing', async () => {
    const world = frameWorld({ ...needsImage, imageOn: { n1: false, n2: false }, decide: still });
    await world.clock.advance(10_000);
    expect(world.replica()?.status).toMatchObject({ ownerID: 'n1' });
  });

  it('is owned although the image exists only where no manager is up', async () => {
    const world = frameWorld({ ...needsImage, imageOn: { n1: false, n2: true }, decide: still });
    await world.clock.advance(10_000);
    expect(world.replica()?.status).toMatchObject({ ownerID: 'n1' });
  });

  it('is owned by a node as soon as that node has the image', async () => {
    const world = frameWorld({ ...needsImage, others: ['n2'], imageOn: { n1: false, n2: true }, decide: still });
    await world.clock.advance(10_000);
    expect(world.replica()?.status?.ownerID).toBeUndefined();
    world.cluster.change(engineImageType, { namespace, name: 'ei-1' }, (image) => {
      image.status = { nodeDeploymentMap: { n1: true, n2: false } };
    });
    await world.clock.advance(10_000);
    expect(world.replica()?.status).toMatchObject({ ownerID: 'n1' });
  });
});

const writesOf = (world: ReturnType<typeof frameWorld>) =>
  world.cluster.calls.filter(({ verb, type }) => verb === 'update' && type.kind === 'Replica');

const anEvent = (reason: string, after?: ToyEffect): ToyEvent => ({
  ...{ type: 'Normal', reason, message: reason },
  ...(after === undefined ? {} : { after }),
});
const eventsOf = (world: ReturnType<typeof frameWorld>) =>
  world.cluster.all(eventType, namespace).map(({ reason }) => reason);

describe('one pass of a controller', () => {
  it('takes an object without an owner, carries out the effects in order and writes the status last', async () => {
    const effects: ToyEffect[] = ['a', 'b'];
    const world = frameWorld({ decide: () => ({ status: { currentState: 'starting' }, effects }) });
    await world.clock.advance(10_000);
    expect(world.applied.slice(0, 2)).toEqual(['a', 'b']);
    expect(world.replica()?.status).toMatchObject({ ownerID: 'n1', currentState: 'starting' });
  });

  it('writes nothing when nothing has changed, whatever event wakes it', async () => {
    const world = frameWorld({ decide: () => ({ status: { currentState: 'running' }, effects: [] }) });
    await world.clock.advance(10_000);
    const before = writesOf(world).length;
    world.cluster.change(world.type, aKey, (replica) => {
      replica.metadata.labels = { touched: 'yes' };
    });
    await world.clock.advance(10_000);
    expect(writesOf(world).length).toBe(before);
    expect(world.passes).toBeGreaterThan(1);
  });

  it('leaves an object that another running manager owns', async () => {
    const world = frameWorld({ owner: 'n2', others: ['n2'], decide: () => ({ status: {}, effects: ['a'] }) });
    await world.clock.advance(10_000);
    expect(world.applied).toEqual([]);
  });

  it('takes over from a manager whose lease has expired', async () => {
    const world = frameWorld({ owner: 'n2', others: ['n2'], decide: () => ({ status: {}, effects: ['a'] }) });
    await world.clock.advance(20_000);
    expect(world.applied).toEqual([]);
    await world.clock.advance(20_000);
    expect(world.applied).toContain('a');
    expect(world.replica()?.status?.ownerID).toBe('n1');
  });

  it('writes the status with the failed effect when a host does not answer, skips later effects, and retries', async () => {
    let fails = true;
    const world = frameWorld({
      decide: () => ({ status: { currentState: 'starting' }, effects: ['a', 'b'] }),
      onApply: (effect) => {
        if (effect === 'a' && fails) throw new AppError('HOST_UNREACHABLE', 'silent', { retry: 'soon' });
      },
    });
    await world.clock.advance(100);
    await world.clock.advanceUntil(() => world.replica()?.status?.currentState === 'starting');
    expect(world.applied).not.toContain('b');
    expect(world.replica()?.status?.salvageExecuted).toBe(true);
    fails = false;
    await world.clock.advance(60_000);
    expect(world.applied).toContain('b');
  });

  it('ends at a conflict without writing the status, and decides again', async () => {
    const world = frameWorld({
      decide: ({ replica }) => ({
        status: { currentState: 'running' },
        effects: replica.metadata.labels?.done === 'yes' ? [] : ['write'],
      }),
    });
    world.cluster.failOnce('update', world.type, 'KUBE_CONFLICT');
    await world.clock.advance(30_000);
    expect(world.replica()?.metadata.labels?.done).toBe('yes');
    expect(world.replica()?.status?.currentState).toBe('running');
  });

  it('emits the Event of an effect once, even when the status write fails with a conflict', async () => {
    const world = frameWorld({
      owner: 'n1',
      decide: ({ replica }) =>
        replica.metadata.labels?.done === 'yes'
          ? { status: { currentState: 'running' }, effects: [] }
          : {
              status: { currentState: 'running' },
              effects: ['write'],
              events: [anEvent('Written', 'write'), anEvent('Running')],
            },
    });
    // The next pass finds the label and emits no Event for it.
    world.cluster.failOnce('update', ({ subresource }) => subresource === 'status', 'KUBE_CONFLICT');
    await world.clock.advance(30_000);
    expect(world.replica()?.status?.currentState).toBe('running');
    expect(eventsOf(world)).toEqual(['Written']);
  });

  it('emits no Event for an effect that failed, but those about the status', async () => {
    const world = frameWorld({
      decide: () => ({
        status: { currentState: 'starting' },
        effects: ['a', 'b'],
        events: [anEvent('DoneA', 'a'), anEvent('DoneB', 'b'), anEvent('Starting')],
      }),
      onApply: (effect) => {
        if (effect === 'b') throw new AppError('HOST_UNREACHABLE', 'silent', { retry: 'never' });
      },
    });
    await world.clock.advance(10_000);
    expect(new Set(eventsOf(world))).toEqual(new Set(['DoneA', 'Starting']));
  });

  it('waits until its own write is in the cache, and continues without it after a while', async () => {
    const world = frameWorld({
      decide: ({ replica }) => ({
        status: { currentState: 'running' },
        effects: replica.metadata.labels?.done === 'yes' ? [] : ['write'],
      }),
    });
    await world.clock.advance(30_000);
    // Owner, label and status: one write each, and none of them failed with a conflict.
    expect(writesOf(world).length).toBe(3);
  });

  it('does not repeat a failed effect at once, even when each attempt wakes the key', async () => {
    let tries = 0;
    const world = frameWorld({
      decide: () => ({ status: {}, effects: ['a'] }),
      onApply: () => {
        tries += 1;
        world.cluster.change(world.type, aKey, (replica) => {
          replica.metadata.labels = { tried: String(tries) };
        });
        throw new AppError('REPLICA_LAGS', 'it lags', { retry: 'never' });
      },
    });
    await world.clock.advance(30_000);
    expect(tries).toBe(1);
    await world.clock.advance(3_600_000);
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(20);
  });
});
