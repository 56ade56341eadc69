import { hostError, type InstanceHost, type InstanceKind } from '@lateen/block-engine';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { InstanceManager } from '@lateen/storage-types';
import type { HostFacts } from '@lateen/volume-decisions';
import type { StorageCaches } from '../frame/storage-caches.ts';
import { type HostChange, type HostConnection, HostLink, type HostPeer } from './host-link.ts';
import { isDown } from './node-standing.ts';

/** The port that instance managers serve on. */
export const instanceManagerPort = 8500;

export interface HostDirectoryOptions {
  readonly caches: Pick<StorageCaches, 'instanceManagers' | 'nodes' | 'kubernetesNodes'>;
  /** Returns a connection object; nothing is sent before it is used. */
  connect(peer: HostPeer): HostConnection;
  readonly port?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The instance managers of all nodes: what runs there, and how to ask them. */
export interface HostDirectory {
  /** What is known of the host of a node. Cheap; returns the same object until something changes. */
  facts(node: string): HostFacts;
  /**
   * The instance manager to call for an instance of a node: the one that has the instance, else the newest. @throws HOST_UNREACHABLE when none
   * answers
   */
  host(node: string, instance?: { readonly kind: InstanceKind; readonly name: string }): InstanceHost;
  /** The state that one instance manager reports, by its name: two on one node have one each. Undefined while it is not followed. */
  link(instanceManager: string): HostLink | undefined;
  /** Whether the node is down and its instance manager does not answer either. */
  isLost(node: string): boolean;
  /** `host:port` of an instance manager that runs, by node. */
  managers(): ReadonlyMap<string, string>;
  onChange(handler: (change: HostChange) => void): void;
  /** Follows all running instance managers until `signal` aborts; resolves when every connection is closed. Call once. */
  run(signal: AbortSignal): Promise<void>;
}

export function hostDirectory(options: HostDirectoryOptions): HostDirectory {
  return new Directory(options);
}

interface Followed {
  readonly link: HostLink;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

class Directory implements HostDirectory {
  readonly #options: HostDirectoryOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #handlers: ((change: HostChange) => void)[] = [];
  readonly #facts = new Map<string, HostFacts>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: HostDirectoryOptions) {
    this.#options = options;
  }

  facts(node: string): HostFacts {
    const kept = this.#facts.get(node);
    const reach = this.#reach(node);
    if (kept?.reach === reach) return kept;
    const links = this.#linksOf(node);
    const { host: ip = '', instanceManager = '' } = links[0]?.peer ?? {};
    const facts = { reach, ip, instanceManager, instances: links.flatMap(({ instances }) => instances) };
    this.#facts.set(node, facts);
    return facts;
  }

  host(node: string, instance?: { readonly kind: InstanceKind; readonly name: string }): InstanceHost {
    const links = this.#linksOf(node);
    const has = instance && links.find((link) => link.get(instance.kind, instance.name) !== undefined);
    const link = has ?? links[0];
    if (link === undefined)
      throw hostError('HOST_UNREACHABLE', `no instance manager runs on ${node}`, {
        nextStep: 'see the pod of its InstanceManager',
      });
    return link.connection.host;
  }

  link(instanceManager: string): HostLink | undefined {
    return this.#followed.get(instanceManager)?.link;
  }

  isLost(node: string): boolean {
    const { caches } = this.#options;
    return isDown(caches, node) && this.#reach(node) !== 'answers';
  }

  managers(): ReadonlyMap<string, string> {
    const nodes = new Set([...this.#followed.values()].map(({ link }) => link.peer.node));
    return new Map(
      [...nodes].flatMap((node) => {
        const peer = this.#linksOf(node)[0]?.peer;
        return peer === undefined ? [] : [[node, `${peer.host}:${peer.port}`] as const];
      }),
    );
  }

  onChange(handler: (change: HostChange) => void): void {
    this.#handlers.push(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { caches } = this.#options;
    const off = caches.instanceManagers.onChange(({ object, type }) =>
      this.#follow(object, type !== 'deleted' && !signal.aborted),
    );
    const offNodes = caches.kubernetesNodes.onChange(({ object, type }) => {
      // Only a change of its readiness matters here; nodes update their status all the time.
      const node = object.metadata.name ?? '';
      if (type === 'deleted' || this.#facts.get(node)?.reach !== this.#reach(node))
        this.#tell({ node, instances: 'all' });
    });
    const offOurs = caches.nodes.onChange(({ object, type }) => {
      if (type !== 'updated') this.#tell({ node: object.metadata.name ?? '', instances: 'all' });
    });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (const each of [off, offNodes, offOurs]) each();
    for (const name of [...this.#followed.keys()]) this.#leave(name);
    await Promise.all(this.#ending);
  }

  #reach(node: string): HostFacts['reach'] {
    const { caches } = this.#options;
    const links = this.#linksOf(node);
    if (links.length > 0 && links.every(({ answers }) => answers)) return 'answers';
    // A longhorn Node stays while an Engine or Replica names it, so the host counts as gone when the Kubernetes node is gone.
    const isPart = caches.nodes.list().some(({ metadata }) => metadata.name === node);
    if (!isPart || caches.kubernetesNodes.get({ name: node }) === undefined) return 'gone';
    return isDown(caches, node) ? 'down' : 'silent';
  }

  /** The newest first: of two, the older one is being replaced and gets no new work. */
  #linksOf(node: string): HostLink[] {
    const at = ({ peer }: HostLink) =>
      this.#options.caches.instanceManagers
        .byIndex('node', node)
        .find(({ metadata }) => metadata.name === peer.instanceManager)?.metadata.creationTimestamp ?? '';
    return [...this.#followed.values()]
      .map(({ link }) => link)
      .filter(({ peer }) => peer.node === node)
      .sort((a, b) => at(b).localeCompare(at(a)) || a.peer.instanceManager.localeCompare(b.peer.instanceManager));
  }

  #follow(manager: InstanceManager, isThere: boolean): void {
    const { name = '' } = manager.metadata;
    const { nodeID: node = '' } = manager.spec;
    const { currentState, ip = '' } = manager.status ?? {};
    // An instance manager may answer, now or later, although its kubelet does not.
    const mayAnswer = currentState === 'running' || currentState === 'unknown';
    const runs = isThere && mayAnswer && ip !== '' && node !== '';
    const peer = { node, instanceManager: name, host: ip, port: this.#options.port ?? instanceManagerPort };
    const before = this.#followed.get(name)?.link.peer;
    if (runs && before?.host === ip && before.node === node) return;
    if (before !== undefined) this.#leave(name);
    if (!runs) return;
    const { clock, random, log, connect } = this.#options;
    const ports = { clock, random, log, tell: (change: HostChange) => this.#tell(change) };
    const link = new HostLink(peer, connect(peer), ports);
    const stop = new AbortController();
    this.#followed.set(name, { link, stop, ended: link.run(stop.signal) });
  }

  #leave(name: string): void {
    const followed = this.#followed.get(name);
    if (followed === undefined) return;
    this.#followed.delete(name);
    const ending = followed.ended.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    followed.stop.abort();
    this.#tell({ node: followed.link.peer.node, instances: 'all' });
  }

  #tell(change: HostChange): void {
    this.#facts.delete(change.node);
    for (const handler of this.#handlers) handler(change);
  }
}
