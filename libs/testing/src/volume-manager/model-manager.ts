import { apiTime, type KubeObject, keyOf, ownerReferenceTo } from '@lateen/kube';
import {
  type AttachmentTicket,
  type Engine,
  engineName,
  engineType,
  int64Of,
  longhornFinalizer,
  type Replica,
  replicaName,
  replicaType,
  type Snapshot,
  type SnapshotStatus,
  snapshotType,
  storageLabels,
  type Volume,
  type VolumeStatus,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import type { FakeCluster } from '../cluster/fake-cluster.ts';

/** The data of volumes, which the model manager creates. Names are those of the objects. */
export interface ModelDevices {
  /** With the data of a snapshot, or of a volume in its current state. */
  make(volume: string, sizeBytes: bigint, from?: { volume: string; snapshot?: string }): Promise<void>;
  grow(volume: string, sizeBytes: bigint): Promise<void>;
  remove(volume: string): Promise<void>;
  /** With a device, unless the front end is disabled. */
  attach(volume: string, node: string, device: boolean): Promise<void>;
  detach(volume: string): Promise<void>;
  snapshot(volume: string, snapshot: string): Promise<void>;
  removeSnapshot(volume: string, snapshot: string): Promise<void>;
}

export interface ModelManagerOptions {
  cluster: FakeCluster;
  devices: ModelDevices;
  /** Nodes on which replicas are placed; with fewer nodes than replicas, one replica has no place. */
  nodes: readonly string[];
  /** A volume for which this returns a reason is never attached. */
  holdOff?: (volume: string) => string | undefined;
}

/**
 * Simulates the volume manager for clients of its objects: volumes are created, attached for their tickets, expanded, snapshotted,
 * cloned and deleted at once, and their objects show it. It does not simulate the steps of the real controllers.
 */
export class ModelManager {
  readonly #options: ModelManagerOptions;
  #work: Promise<void> = Promise.resolve();
  #errors: unknown[] = [];

  constructor(options: ModelManagerOptions) {
    this.#options = options;
    options.cluster.onChange(({ type, object }) => {
      const volume = volumeOf(object);
      if (volume === undefined) return;
      const gone = type === 'DELETED' && object.kind === 'Snapshot' ? (object.metadata.name ?? '') : undefined;
      this.#work = this.#work.then(() => this.#look(volume, gone)).catch((error) => void this.#errors.push(error));
    });
  }

  /** Resolves when all requests so far are done. @throws the first error of a device */
  async settled(): Promise<void> {
    let before: Promise<void> | undefined;
    while (before !== this.#work) {
      before = this.#work;
      await before;
    }
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  async #look(name: string, goneSnapshot: string | undefined): Promise<void> {
    const { cluster, devices } = this.#options;
    const volume = cluster.all(volumeType).find(({ metadata }) => metadata.name === name);
    if (volume === undefined) return;
    if (goneSnapshot !== undefined) await devices.removeSnapshot(name, goneSnapshot);
    if (volume.metadata.deletionTimestamp !== undefined) return this.#delete(volume);
    if (volume.status?.state === undefined) await this.#make(volume);
    await this.#attach(name);
    await this.#grow(name);
    await this.#snapshots(name);
  }

  async #make(volume: Volume): Promise<void> {
    const { cluster, devices, nodes } = this.#options;
    const { name = '', namespace } = volume.metadata;
    const source = sourceOf(volume.spec.dataSource ?? '');
    await devices.make(name, int64Of(volume.spec.size) ?? 0n, source);
    const metadata = (own: string) => ({
      name: own,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [storageLabels.volume]: name },
      ownerReferences: [ownerReferenceTo(volume)],
    });
    const common = { volumeName: name, volumeSize: volume.spec.size ?? '0' };
    const engine: Engine = {
      apiVersion: volume.apiVersion,
      kind: 'Engine',
      metadata: metadata(engineName(name)),
      spec: common,
    };
    const count = volume.spec.numberOfReplicas ?? 0;
    const replicas = Array.from({ length: count }, (_, at): Replica => {
      const own = replicaName(name, `${at}0000000-0000-4000-8000-000000000000`);
      return {
        apiVersion: volume.apiVersion,
        kind: 'Replica',
        metadata: metadata(own),
        spec: { ...common, nodeID: nodes[at] ?? '' },
      };
    });
    const spec = { volume: name, attachmentTickets: {} };
    cluster.put(engine, ...replicas, {
      apiVersion: volume.apiVersion,
      kind: 'VolumeAttachment',
      metadata: metadata(name),
      spec,
    } as KubeObject);
    const placed = count <= nodes.length;
    const scheduled = placed
      ? { type: 'Scheduled', status: 'True' as const, reason: '', message: '' }
      : {
          type: 'Scheduled',
          status: 'False' as const,
          reason: 'ReplicaSchedulingFailure',
          message: 'insufficient storage',
        };
    this.#tell(volume, {
      state: 'detached',
      robustness: 'unknown',
      currentNodeID: '',
      conditions: [{ ...scheduled, lastProbeTime: '', lastTransitionTime: '' }],
      ...(source === undefined ? {} : { cloneStatus: { state: 'completed' } }),
    });
  }

  #tell(volume: Volume, status: Partial<VolumeStatus>): void {
    this.#options.cluster.change(volumeType, keyOf(volume), (stored) => {
      stored.status = { ...stored.status, ...status };
    });
  }

  /** The node stays the same while a ticket wants it. */
  async #attach(name: string): Promise<void> {
    const { cluster, devices, holdOff } = this.#options;
    const [volume, attachment] = [this.#find(name), this.#attachment(name)];
    if (volume === undefined || attachment === undefined) return;
    const tickets = Object.values(attachment.spec.attachmentTickets ?? {});
    const why = holdOff?.(name);
    const before = volume.status?.currentNodeID ?? '';
    const served = why === undefined ? (tickets.find(({ nodeID }) => nodeID === before) ?? tickets[0]) : undefined;
    const node = served?.nodeID ?? '';
    if (node !== before) {
      const device = served?.parameters?.disableFrontend !== 'true';
      if (before !== '') await devices.detach(name);
      if (node !== '') await devices.attach(name, node, device);
      this.#change(name, (stored) => {
        stored.spec.nodeID = node;
        const attached = {
          state: 'attached',
          robustness: 'healthy',
          currentNodeID: node,
          frontendDisabled: !device,
        } as const;
        stored.status = { ...stored.status, ...(node === '' ? { ...detached } : attached) };
      });
    }
    const answer = (ticket: AttachmentTicket) => ({
      satisfied: ticket.nodeID === node,
      generation: ticket.generation ?? 0,
      conditions: [satisfiedCondition(ticket.nodeID === node, why)],
    });
    const statuses = Object.fromEntries(tickets.map((ticket) => [ticket.id ?? '', answer(ticket)]));
    if (JSON.stringify(attachment.status?.attachmentTicketStatuses) === JSON.stringify(statuses)) return;
    cluster.change(volumeAttachmentObjectType, keyOf(attachment), (stored) => {
      stored.status = { attachmentTicketStatuses: statuses };
    });
  }

  async #grow(name: string): Promise<void> {
    const { cluster, devices } = this.#options;
    const engine = cluster.all(engineType).find(({ metadata }) => metadata.name === engineName(name));
    const volume = this.#find(name);
    if (engine === undefined || volume === undefined) return;
    const size = volume.spec.size ?? '0';
    if (engine.spec.volumeSize !== size) await devices.grow(name, int64Of(size) ?? 0n);
    const [node, state] = [volume.status?.currentNodeID ?? '', volume.status?.state];
    if (engine.status?.currentSize === size && engine.spec.volumeSize === size && engine.spec.nodeID === node) return;
    cluster.change(engineType, keyOf(engine), (stored) => {
      stored.spec = { ...stored.spec, volumeSize: size, nodeID: node };
      stored.status = {
        ...stored.status,
        currentSize: size,
        currentState: state === 'attached' ? 'running' : 'stopped',
      };
    });
  }

  async #snapshots(name: string): Promise<void> {
    const { cluster, devices } = this.#options;
    const fresh = cluster.all(snapshotType).filter(({ spec, status, metadata }) => {
      return spec.volume === name && status?.readyToUse === undefined && metadata.deletionTimestamp === undefined;
    });
    for (const snapshot of fresh) {
      await devices.snapshot(name, snapshot.metadata.name ?? '');
      this.#taken(snapshot, this.#find(name)?.spec.size);
    }
  }

  #taken(snapshot: Snapshot, size: string | undefined): void {
    const { cluster } = this.#options;
    const status: SnapshotStatus = {
      readyToUse: true,
      restoreSize: Number(int64Of(size) ?? 0n),
      creationTime: apiTime(cluster.clock.now()),
      userCreated: true,
      markRemoved: false,
    };
    cluster.change(snapshotType, keyOf(snapshot), (stored) => {
      stored.status = status;
    });
  }

  async #delete(volume: Volume): Promise<void> {
    const { cluster, devices } = this.#options;
    const name = volume.metadata.name ?? '';
    await devices.remove(name);
    for (const type of [engineType, replicaType, snapshotType, volumeAttachmentObjectType]) {
      const own = cluster.all<KubeObject>(type).filter((object) => volumeOf(object) === name);
      for (const object of own) cluster.remove(type, keyOf(object));
    }
    const rest = (volume.metadata.finalizers ?? []).filter((each) => each !== longhornFinalizer);
    if (rest.length === 0) cluster.remove(volumeType, keyOf(volume));
  }

  #find(name: string): Volume | undefined {
    return this.#options.cluster.all(volumeType).find(({ metadata }) => metadata.name === name);
  }

  #attachment(name: string) {
    return this.#options.cluster.all(volumeAttachmentObjectType).find(({ metadata }) => metadata.name === name);
  }

  #change(name: string, change: (stored: Volume) => void): void {
    const volume = this.#find(name);
    if (volume !== undefined) this.#options.cluster.change(volumeType, keyOf(volume), change);
  }
}

const detached = { state: 'detached', robustness: 'unknown', currentNodeID: '', frontendDisabled: false } as const;

const satisfiedCondition = (satisfied: boolean, why: string | undefined) => ({
  type: 'Satisfied',
  status: satisfied ? ('True' as const) : ('False' as const),
  reason: satisfied ? '' : why === undefined ? 'OtherNode' : 'CannotAttach',
  message: satisfied ? '' : (why ?? 'another ticket goes first'),
  lastProbeTime: '',
  lastTransitionTime: '',
});

/** The volume that an object of longhorn.io belongs to. */
function volumeOf({ kind, metadata, ...rest }: KubeObject): string | undefined {
  if (kind === 'Volume') return metadata.name;
  const spec = 'spec' in rest ? (rest.spec as { volume?: string; volumeName?: string } | undefined) : undefined;
  const volume = spec?.volume ?? spec?.volumeName;
  return ['VolumeAttachment', 'Snapshot', 'Engine', 'Replica'].includes(kind) ? volume : undefined;
}

function sourceOf(text: string): { volume: string; snapshot?: string } | undefined {
  const [, volume] = /^vol:\/\/(.+)$/.exec(text) ?? [];
  if (volume !== undefined) return { volume };
  const [, of, snapshot] = /^snap:\/\/(.+)\/(.+)$/.exec(text) ?? [];
  return of === undefined || snapshot === undefined ? undefined : { volume: of, snapshot };
}
