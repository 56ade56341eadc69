import type { Pod } from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import type { FenceLimits } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { ApiCall, FakeCluster } from '@lateen/testing';
import { movementTypes } from '../world/movement-types.ts';
import { diceFor } from './dice.ts';
import { faultyKube, type ProcessLife } from './faulty-kube.ts';
import type { Ledger } from './ledger.ts';
import { runMover } from './mover.ts';
import type { Network } from './network.ts';
import type { CallChances, MoverFate, SimulationPlan } from './plan.ts';

export interface SimulatedMoversOptions {
  cluster: FakeCluster;
  clock: Clock;
  ledger: Ledger;
  plan: SimulationPlan;
  network: Network;
  /** For planted bugs. */
  fenceLimits?: Partial<FenceLimits> | undefined;
  chances(): CallChances;
  note(text: string): void;
  violated(text: string): void;
}

const moverPrefix = 'mover-of-';

/** Calls of movers are not counted as calls of the node-agent. */
export const isByMover = ({ options }: ApiCall): boolean =>
  (options as { writer?: ProcessLife }).writer?.node.startsWith(moverPrefix) === true;

/** The movers in all hosting pods: one process per pod, from its start to its end. */
export class SimulatedMovers {
  readonly #options: SimulatedMoversOptions;
  readonly #lives = new Map<string, ProcessLife>();
  readonly #attempts = new Map<string, number>();
  #started = 0;

  constructor(options: SimulatedMoversOptions) {
    this.#options = options;
  }

  /** The container of the pod has been started. */
  start(pod: Pod): void {
    const { plan, cluster, clock, chances, network, note, ...ports } = this.#options;
    const name = pod.metadata.name ?? '';
    const movementPlan = plan.movements.find((each) => each.name === name);
    const movement = this.#movementOf(pod);
    if (movementPlan === undefined || movement === undefined) return;
    const attempt = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempt + 1);
    const fate: MoverFate = movementPlan.fates[attempt] ?? 'complete';
    const dead = new AbortController();
    const life: ProcessLife = {
      node: `${moverPrefix}${name}-${attempt + 1}`,
      dead: false,
      calls: 0,
      die: () => {
        life.dead = true;
        dead.abort(new AppError('KILLED', 'the simulation kills the mover'));
      },
    };
    const uid = pod.metadata.uid ?? '';
    this.#lives.set(uid, life);
    const dice = diceFor(plan.seed, `mover process ${this.#started++}`);
    const node = pod.spec.nodeName ?? '';
    const kube = faultyKube({ kube: cluster, life, clock, dice, chances, network: network.of(node, uid), note });
    const { reactionMsMax } = plan;
    const own = { kube, kubelet: network.of(node), dice, plan: movementPlan, fate, reactionMsMax, die: life.die };
    const mover = { ...ports, ...own, cluster, clock };
    void runMover(mover, pod, movement, dead.signal).finally(() => this.#lives.delete(uid));
  }

  /** The process ends without a report. */
  end(podUid: string): void {
    this.#lives.get(podUid)?.die();
    this.#lives.delete(podUid);
  }

  endAll(): void {
    for (const podUid of [...this.#lives.keys()]) this.end(podUid);
  }

  #movementOf(pod: Pod): Movement | undefined {
    const owner = pod.metadata.ownerReferences?.[0];
    const key = { namespace: pod.metadata.namespace, name: owner?.name ?? '' };
    const { cluster } = this.#options;
    const type = movementTypes.find(({ kind }) => kind === owner?.kind);
    const movement = type === undefined ? undefined : cluster.find(type, key);
    return movement?.metadata.uid === owner?.uid ? movement : undefined;
  }
}
