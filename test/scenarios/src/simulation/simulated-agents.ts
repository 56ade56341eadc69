import { type MovementLimits, runDataMovement } from '@lateen/data-movement';
import { AppError, describeError } from '@lateen/errors';
import { csiSnapshotExposer, genericRestoreExposer, podVolumeExposer } from '@lateen/exposer';
import type { Clock, Logger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import type { LogRepeater } from '@lateen/watcher';
import { AgentPods, latenessMs } from './agent-pods.ts';
import { diceFor } from './dice.ts';
import { faultyKube, type ProcessLife } from './faulty-kube.ts';
import type { Network } from './network.ts';
import type { CallChances } from './plan.ts';

export interface SimulatedAgentsOptions {
  seed: number;
  cluster: FakeCluster;
  clock: Clock;
  log: Logger;
  logs: LogRepeater;
  limits: MovementLimits;
  network: Network;
  chances(): CallChances;
  note(text: string): void;
  violated(text: string): void;
  /** False while the node is off; switching it on starts the agent. */
  mayStart(node: string): boolean;
  /** The agent has been away for so long that others may take over its movements. */
  lost(node: string): void;
  /** The same, including the delay of watches. */
  stranded(node: string): void;
  /** For planted bugs: replaces the API between the loops and the server. */
  wrap?: ((kube: KubeApi) => KubeApi) | undefined;
}

interface Process {
  life: ProcessLife;
  stop: AbortController;
  ended: PromiseWithResolvers<void>;
}

/** The processes of the node-agents: one per node at a time, as in a DaemonSet. */
export class SimulatedAgents {
  readonly #options: SimulatedAgentsOptions;
  readonly #present = new Map<string, Process>();
  readonly #pods: AgentPods;
  readonly #deaths = new Map<string, ProcessLife['death'] & { downMs: number }>();
  #started = 0;
  #over = false;
  #all: Process[] = [];

  constructor(options: SimulatedAgentsOptions) {
    this.#options = options;
    this.#pods = new AgentPods(options.cluster, options.clock);
  }

  /** The longest time in ms that the other agents may believe the node's agent to be away, including watch delays. */
  believedAwayMs(node: string): number {
    return this.#pods.believedAwayMs(node);
  }

  /** Kills the next process of the node at that call. */
  dieAtCall(node: string, death: NonNullable<ProcessLife['death']>, downMs: number): void {
    const life = this.#present.get(node)?.life;
    if (life === undefined) this.#deaths.set(node, { ...death, downMs });
    else life.death = { ...death, call: life.calls + death.call };
    if (life !== undefined) this.#downMsOf.set(life, downMs);
  }

  readonly #downMsOf = new WeakMap<ProcessLife, number>();

  start(node: string): void {
    if (this.#over || this.#present.has(node)) return;
    const { clock, cluster, log, logs, limits, seed, chances, network, note, wrap, violated } = this.#options;
    const dice = diceFor(seed, `${node} process ${this.#started++}`);
    const stop = new AbortController();
    const life: ProcessLife = { node, dead: false, calls: 0, die: () => this.kill(node, this.#downMsOf.get(life)) };
    const death = this.#deaths.get(node);
    if (death !== undefined) {
      life.death = death;
      this.#downMsOf.set(life, death.downMs);
      this.#deaths.delete(node);
    }
    const process: Process = { life, stop, ended: Promise.withResolvers() };
    this.#present.set(node, process);
    this.#all.push(process);
    this.#pods.comes(node);
    note(`${node} agent starts`);
    const kube = faultyKube({ kube: cluster, life, clock, dice, chances, network: network.of(node), note });
    const ports = {
      kube: wrap === undefined ? kube : wrap(kube),
      clock,
      random: dice.random,
      log: log.child({ node }),
    };
    const tell = () => {};
    const exposers = {
      snapshotExposer: csiSnapshotExposer(ports),
      restoreExposer: genericRestoreExposer(ports),
      podVolumes: { exposer: podVolumeExposer(ports), operationTimeout: '10m0s' },
    };
    runDataMovement({ ...ports, ...exposers, namespace: 'velero', node, limits, logs, tell }, stop.signal).then(
      () => this.#ended(process),
      (error: unknown) => {
        this.#ended(process);
        if (!life.dead) violated(`the agent of ${node} broke: ${describeError(error)}`);
      },
    );
  }

  /** SIGKILL: none of its calls is carried out any more. */
  kill(node: string, downMs: number | undefined): void {
    const process = this.#present.get(node);
    if (process === undefined) return;
    process.life.dead = true;
    this.#leave(node, `${node} agent is killed`);
    process.stop.abort(new AppError('KILLED', 'the simulation kills the agent'));
    if (downMs !== undefined) this.#startIn(node, downMs);
  }

  /** SIGTERM: it may finish what it is doing; its successor starts afterwards. */
  stop(node: string, downMs: number | undefined): void {
    const process = this.#present.get(node);
    if (process === undefined) return;
    this.#leave(node, `${node} agent is told to stop`);
    process.stop.abort(new AppError('STOPPED', 'the simulation stops the agent'));
    if (downMs !== undefined) void process.ended.promise.then(() => this.#startIn(node, downMs));
  }

  /** The node stops or starts reporting, so the agent's pod is unready although it is running, or ready again. */
  heard(node: string, isHeard: boolean): void {
    if (!this.#present.has(node)) return;
    if (isHeard) this.#pods.comes(node);
    else this.#goesAway(node);
  }

  /** Stops it for good, also when it was going to restart. */
  stopAll(): void {
    this.#over = true;
    for (const node of [...this.#present.keys()]) this.stop(node, undefined);
  }

  /** Processes that were told to end and have not. */
  get lingering(): number {
    return this.#all.length;
  }

  #leave(node: string, text: string): void {
    this.#options.note(text);
    this.#present.delete(node);
    this.#goesAway(node);
  }

  #goesAway(node: string): void {
    this.#pods.goes(node);
    const { clock, limits, lost, stranded } = this.#options;
    void clock.sleep(limits.agentLostMs - latenessMs).then(() => this.#pods.isHere(node) || stranded(node));
    void clock.sleep(limits.agentLostMs).then(() => {
      if (!this.#pods.isHere(node) && this.#pods.believedAwayMs(node) >= limits.agentLostMs) lost(node);
    });
  }

  #ended(process: Process): void {
    process.ended.resolve();
    this.#all = this.#all.filter((each) => each !== process);
  }

  #startIn(node: string, downMs: number): void {
    const { clock, mayStart } = this.#options;
    void clock.sleep(downMs).then(() => {
      if (mayStart(node)) this.start(node);
    });
  }
}
