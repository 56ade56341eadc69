import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  labels,
  type Pod,
  podType,
} from '@lateen/api-types';
import { clusterUp, killMachine } from '@lateen/cluster';
import { type Clock, durationText, type Random } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { costsAttempt, type KillKind, type PlannedKill, planKill } from './kill-plan.ts';
import { killProcess, podProcesses } from './pod-processes.ts';

export interface KillerOptions {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  veleroNamespace: string;
  kinds: readonly KillKind[];
  /** Maximum number of attempts that kills may cost a movement: the last one has to be left to it. */
  lossesMax: number;
  /** For `node`: the cluster's folder and its number of nodes. */
  machines?: { dir: string; nodes: number } | undefined;
  say(text: string): void;
  signal: AbortSignal;
}

/** How long a lost machine stays away, ms. */
const nodeAwayMs = 10_000;
/** The kubelet delays the restart of a node-agent that is killed repeatedly for minutes; that would test only the kubelet. */
const agentPauseMs = 20_000;
/** A machine that is lost again before its pods are back tests only the kubelet, and no movement would ever end. */
const nodePauseMs = 60_000;

/** Kills parts of running movements, at moments that a seed decides. */
export class Killer {
  readonly #options: KillerOptions;
  readonly #losses = new Map<string, number>();
  readonly done = new Map<KillKind, number>();
  #agentMs = Number.NEGATIVE_INFINITY;
  #nodeMs = Number.NEGATIVE_INFINITY;

  constructor(options: KillerOptions) {
    this.#options = options;
  }

  get total(): number {
    return [...this.done.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Kills until that many kills have hit something. */
  async run(kills: number): Promise<void> {
    const { clock, random, kinds, signal, say } = this.#options;
    while (this.total < kills) {
      signal.throwIfAborted();
      const planned = planKill(random, kinds);
      await clock.sleep(planned.pauseMs, signal);
      const hit = await this.#kill(planned);
      if (hit === undefined) continue;
      this.done.set(planned.kind, (this.done.get(planned.kind) ?? 0) + 1);
      say(`kill ${this.total} of ${kills}: ${planned.kind} ${hit}`);
    }
  }

  /** What was hit; undefined when there was no target of that kind. */
  async #kill({ kind, which }: PlannedKill): Promise<string | undefined> {
    switch (kind) {
      case 'mover':
        return await this.#killProcess(which, kind, /data-mover/);
      case 'engine':
        return await this.#killProcess(which, kind, /^(\S*\/)?(kopia|restic)\b/);
      case 'pod':
        return await this.#deletePod(await this.#victim(which, kind));
      case 'agent':
      case 'agent-pod':
        return await this.#killAgent(kind, which);
      case 'node':
        return await this.#killNode(which);
      default:
        return kind satisfies never;
    }
  }

  /** A hosting pod whose movement is running and may still lose an attempt. */
  async #victim(which: number, kind: KillKind): Promise<Pod | undefined> {
    const { kube, veleroNamespace, lossesMax, signal } = this.#options;
    const [pods, movements] = await Promise.all([
      kube.list(podType, { namespace: veleroNamespace, labelSelector: labels.exposerPodGroup, signal }),
      this.#movements(),
    ]);
    const atWork = new Set(
      movements
        .filter(({ status }) => status?.phase === 'InProgress' || status?.phase === 'Prepared')
        .map(({ metadata }) => metadata.uid),
    );
    const hittable = pods.items.filter((pod) => {
      const uid = pod.metadata.ownerReferences?.[0]?.uid ?? '';
      return atWork.has(uid) && pod.status?.phase === 'Running' && (this.#losses.get(uid) ?? 0) < lossesMax;
    });
    const victim = hittable[Math.floor(which * hittable.length)];
    if (victim !== undefined && costsAttempt[kind]) this.#lose(victim);
    return victim;
  }

  async #movements(): Promise<(DataUpload | DataDownload)[]> {
    const { kube, veleroNamespace: namespace, signal } = this.#options;
    const [uploads, downloads] = await Promise.all([
      kube.list<DataUpload>(dataUploadType, { namespace, signal }),
      kube.list<DataDownload>(dataDownloadType, { namespace, signal }),
    ]);
    return [...uploads.items, ...downloads.items];
  }

  #lose(pod: Pod): void {
    const uid = pod.metadata.ownerReferences?.[0]?.uid ?? '';
    this.#losses.set(uid, (this.#losses.get(uid) ?? 0) + 1);
  }

  async #killProcess(which: number, kind: KillKind, command: RegExp): Promise<string | undefined> {
    const pod = await this.#victim(which, kind);
    if (pod === undefined) return undefined;
    const processes = await podProcesses(pod.metadata.uid ?? '');
    const target = processes.find((each) => command.test(each.command));
    return target !== undefined && killProcess(target.pid) ? `${pod.metadata.name} (pid ${target.pid})` : undefined;
  }

  async #deletePod(pod: Pod | undefined): Promise<string | undefined> {
    if (pod === undefined) return undefined;
    try {
      await this.#options.kube.delete(podType, keyOf(pod), { signal: this.#options.signal });
      return pod.metadata.name;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #killAgent(kind: 'agent' | 'agent-pod', which: number): Promise<string | undefined> {
    const { kube, clock, veleroNamespace, signal } = this.#options;
    if (clock.monotonicMs() - this.#agentMs < agentPauseMs) return undefined;
    const { items } = await kube.list(podType, {
      namespace: veleroNamespace,
      labelSelector: 'name=node-agent',
      signal,
    });
    const running = items.filter((pod) => pod.status?.phase === 'Running');
    const pod = running[Math.floor(which * running.length)];
    if (pod === undefined) return undefined;
    this.#agentMs = clock.monotonicMs();
    if (kind === 'agent-pod') return await this.#deletePod(pod);
    const processes = await podProcesses(pod.metadata.uid ?? '');
    const target = processes.find(({ command }) => command.includes('node-agent'));
    return target !== undefined && killProcess(target.pid) ? `${pod.spec.nodeName} (pid ${target.pid})` : undefined;
  }

  /** Like a power cut: process 1 of the machine is killed, and everything with it; some time later the machine is started again. */
  async #killNode(which: number): Promise<string | undefined> {
    const { machines: cluster, clock, signal, kube, veleroNamespace } = this.#options;
    if (cluster === undefined || clock.monotonicMs() - this.#nodeMs < nodePauseMs) return undefined;
    const node = `node-${1 + Math.floor(which * cluster.nodes)}`;
    const pods = await kube.list(podType, {
      namespace: veleroNamespace,
      labelSelector: labels.exposerPodGroup,
      signal,
    });
    const there = pods.items.filter((pod) => pod.spec.nodeName === node);
    const spent = there.some(
      (pod) => (this.#losses.get(pod.metadata.ownerReferences?.[0]?.uid ?? '') ?? 0) >= this.#options.lossesMax,
    );
    if (spent) return undefined;
    for (const pod of there) this.#lose(pod);
    await killMachine({ dir: cluster.dir, machine: node, clock });
    await clock.sleep(nodeAwayMs, signal);
    await clusterUp({ dir: cluster.dir, nodes: cluster.nodes });
    this.#nodeMs = clock.monotonicMs();
    return `${node} with ${there.length} hosting pods, back after ${durationText(nodeAwayMs)}`;
  }
}
