import { type KubeObject, nodeType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import {
  type Engine,
  engineType,
  type LonghornNode,
  longhornNodeType,
  type Replica,
  replicaType,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import {
  FakeClock,
  type FakeCluster,
  fakeCluster,
  type ModelInstanceHosts,
  type ModelNodeState,
  modelInstanceHosts,
  type RecordingLog,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { runVolumeControllers, volumeRooms } from '@lateen/volume-controllers';
import { onTestFinished } from 'vitest';
import { type Death, type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { aKubernetesNode, anInstanceManager, aStorageNode, namespace } from './storage-objects.ts';

export interface Manager {
  readonly life: Mortality;
  stop(): Promise<void>;
}

/** Managers on nodes, over an API server in memory and simulated hosts. */
export class StorageWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly hosts: ModelInstanceHosts;
  readonly log: RecordingLog = recordingLog();
  readonly nodes: readonly string[];
  /** How managers connect to hosts; read when a manager is started. */
  connect: ModelInstanceHosts['connect'];
  /** Writes that were acknowledged to a pod. */
  readonly acknowledged: number[] = [];
  readonly #managers: Manager[] = [];
  #writes = 0;

  constructor({
    nodes = ['n1', 'n2', 'n3', 'n4'],
    objects = [],
  }: { nodes?: readonly string[]; objects?: readonly KubeObject[] } = {}) {
    this.nodes = nodes;
    const ofNodes = nodes.flatMap((node) => [aKubernetesNode(node), aStorageNode(node), anInstanceManager(node)]);
    this.cluster = fakeCluster({ clock: this.clock, objects: [...ofNodes, ...objects] });
    this.hosts = modelInstanceHosts({ clock: this.clock, cluster: this.cluster, nodes });
    this.connect = this.hosts.connect;
    onTestFinished(() => this.stopAll());
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#managers.map(({ stop }) => stop()));
  }

  /** A manager on a node; dies at its n-th write if told so. */
  start(node: string, death?: Death, clock: Clock = this.clock): Manager {
    const stop = new AbortController();
    const life: Mortality = { dead: false, writes: 0, death, die: () => endNow() };
    const endNow = () => {
      life.dead = true;
      stop.abort(new Error('the process ends'));
    };
    const { log, connect } = this;
    const kube = mortalKube(this.cluster, life);
    const random = seededRandom(this.#managers.length + 1);
    const done = runVolumeControllers(
      { kube, namespace, node, clock, log, random, connect, rooms: volumeRooms },
      stop.signal,
    );
    const manager = {
      life,
      stop: async () => {
        endNow();
        await done;
      },
    };
    this.#managers.push(manager);
    return manager;
  }

  startAll(): void {
    for (const node of this.nodes) this.start(node);
  }

  volume(name = 'vol'): Volume | undefined {
    return this.cluster.find(volumeType, { namespace, name });
  }

  engine(volume = 'vol'): Engine | undefined {
    return this.cluster.all(engineType, namespace).find(({ spec }) => spec.volumeName === volume);
  }

  replicas(volume = 'vol'): Replica[] {
    return this.cluster.all(replicaType, namespace).filter(({ spec }) => spec.volumeName === volume);
  }

  state(name = 'vol'): string {
    const { state = '', robustness = '' } = this.volume(name)?.status ?? {};
    return `${state}/${robustness}`;
  }

  /** Attaches as a CSI publish does: with a ticket. */
  attach(node: string, volume = 'vol'): void {
    this.#tickets(volume, (tickets) => {
      const id = `csi-${node}`;
      tickets[id] = { id, type: 'csi-attacher', nodeID: node, parameters: { disableFrontend: 'false' }, generation: 0 };
    });
  }

  detach(node: string, volume = 'vol'): void {
    this.#tickets(volume, (tickets) => {
      delete tickets[`csi-${node}`];
    });
  }

  attachment(volume = 'vol'): VolumeAttachmentObject | undefined {
    return this.cluster.find(volumeAttachmentObjectType, { namespace, name: volume });
  }

  /** The number of the next write. */
  nextWrite(): number {
    return this.#writes++;
  }

  /** One write of a pod; true when it was answered. */
  write(volume = 'vol'): boolean {
    const engine = this.hosts.enginesOf(volume).find(({ frontend }) => frontend);
    const id = this.#writes++;
    const isAnswered = engine?.write(id) ?? false;
    if (isAnswered) this.acknowledged.push(id);
    return isAnswered;
  }

  /** Acknowledged writes that a replica does not have. */
  lacking(replica: string): number[] {
    const disk = this.hosts.disks.get(replica);
    return this.acknowledged.filter((id) => disk?.written.has(id) !== true);
  }

  /** Changes the node, its kubelet and its manager's connection; Kubernetes reports a node as down 40 s after it stopped reporting. */
  async setNode(node: string, state: ModelNodeState): Promise<void> {
    this.hosts.setNode(node, state);
    if (state !== 'up') await this.clock.advance(40_000);
    const ready = state === 'up' ? 'True' : 'Unknown';
    this.cluster.change(nodeType, { name: node }, (object) => {
      object.status = { ...object.status, conditions: [{ type: 'Ready', status: ready }] };
    });
    this.cluster.change<LonghornNode>(longhornNodeType, { namespace, name: node }, (object) => {
      const conditions = aStorageNode(node, state === 'up' ? 'True' : 'False').status?.conditions ?? [];
      object.status = { ...object.status, conditions };
    });
  }

  #tickets(
    volume: string,
    change: (tickets: NonNullable<VolumeAttachmentObject['spec']['attachmentTickets']>) => void,
  ): void {
    this.cluster.change<VolumeAttachmentObject>(volumeAttachmentObjectType, { namespace, name: volume }, ({ spec }) => {
      spec.attachmentTickets ??= {};
      change(spec.attachmentTickets);
    });
  }
}
