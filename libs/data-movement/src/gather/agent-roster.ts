import type { Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { Change, Informer } from '@lateen/kube-runtime';

/**
 * Which nodes have a node-agent at work. The pods of the DaemonSet tell: when a node is lost, Kubernetes says of its pods
 * that they are no longer ready, so nobody has to ask about nodes. What a lost agent had in hand is for the others.
 */
export class AgentRoster {
  readonly #clock: Clock;
  readonly #node: string;
  /** What was before, nobody here knows. */
  #seesSinceMs: number;
  /** Ready pods by node. A rolling update shows two of one node for a while. */
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

  /** The informer has lost the API server, perhaps for long: an agent that it showed as gone may have come back since. */
  interrupted(): void {
    this.#seesSinceMs = this.#clock.monotonicMs();
  }

  /** Called with the name of a node whose agent has come or gone. */
  onChange(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * For how long, in ms, this process has seen no agent at work on the node; 0 when there is one, and for this node; at
   * least 1 otherwise, so that who is told at once sees the loss. Counted from when we first saw that there is none, but from our
   * own start, and the last {@link interrupted}, at the earliest.
   */
  lostForMs(node: string): number {
    if (node === this.#node || node === '' || (this.#ready.get(node)?.size ?? 0) > 0) return 0;
    const sinceMs = Math.max(this.#lostMs.get(node) ?? 0, this.#seesSinceMs);
    return Math.max(this.#clock.monotonicMs() - sinceMs, 1);
  }

  /** The node whose agent does what is nobody's; undefined when none is known to be at work. */
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
    // Also of one that is seen for the first time: it may have been there a moment before we looked.
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

/** All that the roster looks at; the pods of a large cluster's DaemonSet are many. */
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
