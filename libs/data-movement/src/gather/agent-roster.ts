import type { Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { Change, Informer } from '@lateen/kube-runtime';

/**
 * Knows which nodes have a running node-agent. The pods of the DaemonSet show it: when a node is lost, Kubernetes marks its pods
 * as not ready, so the nodes themselves need not be read. Other nodes take over the movements of a lost agent.
 */
export class AgentRoster {
  readonly #clock: Clock;
  readonly #node: string;
  /** Since when this process sees the pods; it cannot know what was before. */
  #seesSinceMs: number;
  /** Ready pods by node. During a rolling update a node may have two for a while. */
  readonly #ready = new Map<string, Set<string>>();
  readonly #lostMs = new Map<string, number>();
  readonly #listeners: ((node: string) => void)[] = [];
  #first: string | undefined;

  constructor(clock: Clock, node: string) {
    this.#clock = clock;
    this.#node = node;
    this.#seesSinceMs = clock.monotonicMs();
  }

  /** Takes the pods of the DaemonSet from an informer of them. */
  follow(pods: Pick<Informer<Pod>, 'onChange'>): void {
    pods.onChange((change) => this.#note(change));
  }

  /** The informer lost the API server, perhaps for long: an agent that it showed as gone may be back since. */
  interrupted(): void {
    this.#seesSinceMs = this.#clock.monotonicMs();
  }

  /** The listener is called with the name of a node whose agent has appeared or gone. */
  onChange(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * For how long, in ms, this process has seen no running agent on the node; 0 when there is one, and always 0 for this node;
   * otherwise at least 1, so that a caller sees the loss at once. Counted from the moment when we first saw no agent, but not
   * from before our own start or the last {@link interrupted}.
   */
  lostForMs(node: string): number {
    if (node === this.#node || node === '' || (this.#ready.get(node)?.size ?? 0) > 0) return 0;
    const sinceMs = Math.max(this.#lostMs.get(node) ?? 0, this.#seesSinceMs);
    return Math.max(this.#clock.monotonicMs() - sinceMs, 1);
  }

  /** The node whose agent handles movements that no node owns; undefined when no running agent is known. */
  get first(): string | undefined {
    this.#first ??= [...this.#ready].filter(([, pods]) => pods.size > 0).reduce(earlier, undefined);
    return this.#first;
  }

  #note({ type, object: pod }: Change<Pod>): void {
    const node = pod.spec.nodeName ?? '';
    if (node === '') return;
    const ready = this.#ready.get(node) ?? new Set();
    const before = ready.size > 0;
    const uid = pod.metadata.uid ?? '';
    if (type !== 'deleted' && isReady(pod)) ready.add(uid);
    else ready.delete(uid);
    this.#ready.set(node, ready);
    const now = ready.size > 0;
    if (now) this.#lostMs.delete(node);
    // This includes a node that is seen for the first time: its agent may have been there a moment before.
    else if (!this.#lostMs.has(node)) this.#lostMs.set(node, this.#clock.monotonicMs());
    if (before === now) return;
    this.#first = undefined;
    for (const listener of this.#listeners) listener(node);
  }
}

const earlier = (first: string | undefined, [node]: [string, unknown]): string =>
  first === undefined || node < first ? node : first;

function isReady(pod: Pod): boolean {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && pod.metadata.deletionTimestamp === undefined;
}

/**
 * The only fields of a pod that the roster reads; they keep the memory small, since a large cluster's DaemonSet has many pods.
 */
export function rosterPod(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = pod.metadata;
  const known = { name, namespace, uid, resourceVersion, labels, deletionTimestamp };
  const metadata = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  const ready = pod.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata,
    spec: { containers: [], ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }) },
    status: { conditions: ready },
  };
}
