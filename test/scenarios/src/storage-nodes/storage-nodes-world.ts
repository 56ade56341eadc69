import { type KubeObject, type Node, nodeType, type Pod, podType } from '@lateen/api-types';
import {
  type InstanceManager,
  instanceManagerName,
  instanceManagerType,
  type LonghornNode,
  longhornNodeType,
  storageLabels,
  storageLabelValues,
} from '@lateen/storage-types';
import {
  aNamespace,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  letWorkRun,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { nodeRooms, runVolumeControllers } from '@lateen/volume-controllers';
import { onTestFinished } from 'vitest';
import { ModelNodeHost } from './model-node-host.ts';
import { aStorageNode, namespace } from './storage-nodes-objects.ts';

export const release = { image: 'storage:1', version: 'v1' } as const;

/** Managers with the controllers of nodes, kubelets that run pods of instance managers, and simulated hosts. */
export class StorageNodesWorld {
  readonly clock = new FakeClock('2030-01-01T00:00:00Z');
  readonly cluster: FakeCluster;
  readonly log = recordingLog();
  readonly hosts = new Map<string, ModelNodeHost>();
  /** Nodes whose kubelet starts no new pods. */
  readonly deafKubelets = new Set<string>();
  readonly #stops: (() => Promise<void>)[] = [];
  #pods = 0;

  constructor(nodes: readonly Node[], objects: readonly KubeObject[] = []) {
    this.cluster = fakeCluster({ clock: this.clock, objects: [aNamespace({ name: namespace }), ...nodes, ...objects] });
    for (const { metadata } of nodes) {
      const name = metadata.name ?? '';
      this.hosts.set(name, new ModelNodeHost(name, this.clock));
    }
    const off = this.cluster.onChange(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'Pod')
        void Promise.resolve().then(() => this.#runPod(object as unknown as Pod));
    });
    onTestFinished(async () => {
      off();
      await Promise.all(this.#stops.map((stop) => stop()));
    });
  }

  /** Starts a manager on a node; it runs until the test ends or it is stopped. */
  start(node: string, image: string = release.image): () => Promise<void> {
    const end = new AbortController();
    const done = runVolumeControllers(
      {
        kube: this.cluster,
        namespace,
        node,
        clock: this.clock,
        random: seededRandom(this.#stops.length + 1),
        log: this.log,
        rooms: nodeRooms,
        release: { ...release, image },
        connect: (peer) => this.host(peer.node).connection(),
      },
      end.signal,
    );
    const stop = async (): Promise<void> => {
      end.abort(new Error('the manager ends'));
      await done;
    };
    this.#stops.push(stop);
    return stop;
  }

  host(node: string): ModelNodeHost {
    const host = this.hosts.get(node);
    if (host === undefined) throw new RangeError(`there is no node ${node}`);
    return host;
  }

  /** Advances the clock by seconds. Waits in real time too, because the platform creates the keys of certificates on other threads. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await letWorkRun();
      await this.clock.advance(1_000);
    }
  }

  node(name: string): LonghornNode | undefined {
    return this.cluster.find(longhornNodeType, { namespace, name });
  }

  manager(node: string, image: string = release.image): InstanceManager | undefined {
    return this.cluster.find(instanceManagerType, { namespace, name: instanceManagerName(node, image) });
  }

  pod(node: string, image: string = release.image): Pod | undefined {
    return this.cluster.find(podType, { namespace, name: instanceManagerName(node, image) });
  }

  condition(name: string, type: string): string {
    const found = this.node(name)?.status?.conditions?.find((each) => each.type === type);
    return `${found?.status}${found?.reason ? ` ${found.reason}` : ''}`;
  }

  changeNode(name: string, change: (node: Node) => void): void {
    this.cluster.change(nodeType, { name }, change);
  }

  #runPod({ metadata, spec }: Pod): void {
    const node = spec.nodeName ?? '';
    if (metadata.labels?.[storageLabels.component] !== storageLabelValues.instanceManager) return;
    const key = { namespace, name: metadata.name ?? '' };
    if (this.deafKubelets.has(node) || this.cluster.find(podType, key) === undefined) return;
    const podIP = `10.0.0.${++this.#pods}`;
    this.cluster.change(podType, key, (pod) => {
      pod.status = {
        phase: 'Running',
        podIP,
        startTime: '2030-01-01T00:00:00Z',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'instance-manager', restartCount: 0, state: { running: {} } }],
      };
    });
  }
}

/** A world in which managers run on these nodes and everything is ready. */
export async function runningNodes(...names: string[]): Promise<StorageNodesWorld> {
  const world = new StorageNodesWorld(names.map((name) => aStorageNode(name)));
  for (const name of names) world.start(name);
  await world.pass(10);
  return world;
}
