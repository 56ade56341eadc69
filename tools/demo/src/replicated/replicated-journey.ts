import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespaceType, type Pod, persistentVolumeClaimType, podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { deleteNamespace, isPodReady } from '../cluster/workload.ts';
import type { LateenCli } from '../lateen-cli.ts';
import type { PodShell } from '../pod-shell.ts';
import { createShop, databaseClaim, databasePod, deleteDefinition, type ShopOptions } from '../shop/create-shop.ts';
import { checkPages } from '../shop/database-state.ts';
import type { Kubectl } from '../shop/kubectl.ts';
import { type Step, Steps } from '../steps.ts';
import { createOrders, longestPauseMs, type OrderReport, orderReport, parseOrders, readOrders } from './orders.ts';
import { storageLeftovers } from './storage-leftovers.ts';
import { type ReplicaPlaces, VolumeView } from './volume-view.ts';

export interface ReplicatedJourneyPorts {
  kube: KubeApi;
  clock: Clock;
  lateen: LateenCli;
  kubectl: Kubectl;
  database: PodShell;
  /** Ends a node as a power loss does. */
  killNode(node: string): Promise<void>;
  /** Starts every node again; resolves when all are Ready. */
  bringNodesBack(): Promise<void>;
  say(text: string): void;
}

export interface ReplicatedJourneyOptions extends ShopOptions {
  namespace: string;
  /** Names of the three nodes. */
  nodes: readonly string[];
}

/** What the customer saw while one node was lost. */
export interface Act {
  title: string;
  longestPauseMs: number;
}

export interface ReplicatedJourneyResult {
  orders: OrderReport;
  acts: readonly Act[];
  places: readonly ReplicaPlaces[];
  steps: readonly Step[];
  leftovers: readonly string[];
}

/** Timeout of one step; Kubernetes reports a lost node as down after about a minute. */
const stepMsMax = 15 * 60_000;

/** Settings with which a lost node is noticed in seconds instead of minutes; users can change them too. */
const settings = [
  ['replica-replenishment-wait-interval', '20'],
  ['replica-soft-anti-affinity', 'true'],
  ['node-down-pod-deletion-policy', 'delete-statefulset-pod'],
] as const;

/**
 * A database writes to a volume with three replicas while a node with a replica is lost, and then the database's own node; each returns
 * later. At the end every acknowledged order has to be in the database. Leaves nothing of its own in the cluster.
 */
export class ReplicatedJourney {
  readonly #options: ReplicatedJourneyOptions;
  readonly #ports: ReplicatedJourneyPorts;
  readonly #signal: AbortSignal;
  readonly #steps: Steps;
  readonly #acts: Act[] = [];

  constructor(options: ReplicatedJourneyOptions, ports: ReplicatedJourneyPorts, signal: AbortSignal) {
    this.#options = options;
    this.#ports = ports;
    this.#signal = signal;
    this.#steps = new Steps(ports);
  }

  async run(): Promise<ReplicatedJourneyResult> {
    const { lateen } = this.#ports;
    for (const [name, value] of settings) await lateen(['storage', 'setting', 'set', name, value]);
    const view = await this.#step('create the shop', 'Creating a database on a volume with three replicas', () =>
      this.#open(),
    );
    const [database, customers] = await this.#customersCome();
    const spare = this.#options.nodes.find((node) => node !== database && node !== customers) ?? '';
    await view.note('before any loss', this.#signal);

    await this.#act(`${spare}, which has a replica, is lost`, spare, view, () => Promise.resolve());
    const moved = () => this.#databaseRunsElsewhere(database);
    await this.#act(`${database}, which runs the database, is lost`, database, view, moved);

    const orders = await this.#step(
      'compare the orders',
      'Comparing the orders in the database with those that were acknowledged',
      () => this.#compare(),
    );
    await lateen(['storage', 'volume', 'describe', view.volume]);
    const leftovers = await this.#step('clean-up', 'Deleting the shop and its volume', () => this.#close(view.volume));
    return { orders, acts: this.#acts, places: view.noted, steps: this.#steps.done, leftovers };
  }

  /** Deletes what the journey has created, also after a failure. Keeps the settings, because the cluster belongs to the demo. */
  async cleanUp(signal: AbortSignal): Promise<void> {
    await deleteNamespace(this.#ports.kube, this.#options.namespace, this.#ports.clock, signal);
    await deleteDefinition(this.#ports.kubectl);
  }

  async #open(): Promise<VolumeView> {
    const { kube, kubectl, database, clock } = this.#ports;
    const { namespace } = this.#options;
    const metadata = { name: namespace };
    await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata }, { signal: this.#signal });
    await createShop(kubectl, database, this.#options);
    await createOrders(database);
    const key = { namespace, name: databaseClaim };
    const { spec } = await kube.get(persistentVolumeClaimType, key, { signal: this.#signal });
    return new VolumeView(spec.volumeName ?? '', { kube, clock });
  }

  /** @returns the nodes of the database and of the customer; the latter is never killed */
  async #customersCome(): Promise<[string, string]> {
    const database = (await this.#ports.kube.get(podType, this.#podKey, { signal: this.#signal })).spec.nodeName ?? '';
    const node = this.#options.nodes.find((each) => each !== database) ?? '';
    const text = readFileSync(join(import.meta.dirname, 'customers.yaml'), 'utf8')
      .replaceAll('DEMO_POSTGRES_IMAGE', this.#options.databaseImage)
      .replaceAll('DEMO_NODE', node);
    await this.#ports.kubectl(['apply', '-f', '-'], text);
    await this.#ports.kubectl(['wait', '--for=condition=Ready', 'pod/orders', '--timeout=180s']);
    return [database, node];
  }

  /** A node is lost, the volume gets three healthy replicas without it, and then the node returns. */
  async #act(title: string, node: string, view: VolumeView, recovered: () => Promise<void>): Promise<void> {
    const { clock, lateen, killNode, bringNodesBack } = this.#ports;
    const fromMs = clock.now();
    const deadline = () => AbortSignal.any([this.#signal, clock.deadline(stepMsMax)]);
    await this.#step(`${node} lost: until the volume is degraded`, `${title}: turning it off`, async () => {
      await killNode(node);
      await view.until('degraded', deadline());
    });
    await view.note(`${node} lost`, this.#signal);
    await lateen(['storage', 'volume', 'describe', view.volume]);
    await this.#step(
      `${node} lost: until the volume is healthy again`,
      'The missing replica is rebuilt on another node',
      async () => {
        await recovered();
        await view.until('healthy', deadline());
      },
    );
    await view.note('rebuilt on another node', this.#signal);
    await this.#step(`${node} back: until it is Ready`, `Turning ${node} on again`, bringNodesBack);
    await view.until('healthy', deadline());
    await view.note(`${node} back`, this.#signal);
    this.#acts.push({ title, longestPauseMs: longestPauseMs(await this.#orders(), fromMs, clock.now()) });
  }

  get #podKey(): ObjectKey {
    return { namespace: this.#options.namespace, name: databasePod };
  }

  async #databaseRunsElsewhere(node: string): Promise<void> {
    const { kube, clock } = this.#ports;
    await waitForObject<Pod, true>({
      api: kube,
      type: podType,
      key: this.#podKey,
      clock,
      signal: AbortSignal.any([this.#signal, clock.deadline(stepMsMax)]),
      until: (pod) => (pod !== undefined && pod.spec.nodeName !== node && isPodReady(pod) ? true : undefined),
    });
  }

  #orders = async () => parseOrders(await this.#ports.kubectl(['logs', 'orders']));

  async #compare(): Promise<OrderReport> {
    const { kubectl, database } = this.#ports;
    // The pod is kept, because the log of a deleted pod cannot be read.
    await kubectl([
      'exec',
      'orders',
      '--',
      'sh',
      '-c',
      'touch /tmp/closed; until [ -e /tmp/home ]; do sleep 0.2; done',
    ]);
    const acknowledged = await this.#orders();
    await checkPages(database);
    return orderReport(acknowledged, await readOrders(database));
  }

  async #close(volume: string): Promise<string[]> {
    await this.cleanUp(this.#signal);
    return storageLeftovers(this.#ports, volume, this.#signal);
  }

  #step = <R>(title: string, text: string, act: () => Promise<R>): Promise<R> => this.#steps.take(title, text, act);
}
