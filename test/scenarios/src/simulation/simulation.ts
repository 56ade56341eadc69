import type { Pod } from '@lateen/api-types';
import { type MovementLimits, movementLimits } from '@lateen/data-movement';
import { silentLogger } from '@lateen/kernel';
import { FakeClock, type FakeCluster, fakeCluster, type StoredChange } from '@lateen/testing';
import { logKeeper } from '../world/log-keeper.ts';
import { movementTypes } from '../world/movement-types.ts';
import { StorageActor } from '../world/storage-actor.ts';
import { type AtRest, leaked, wrongEnds } from './at-rest.ts';
import { removeClient } from './client-pods.ts';
import { countCalls } from './count-calls.ts';
import { diceFor } from './dice.ts';
import type { ProcessLife } from './faulty-kube.ts';
import { type Movement, ownerIn } from './invariants/observed.ts';
import { Ledger } from './ledger.ts';
import { Network } from './network.ts';
import { type MovementPlan, noFaults, type SimulationPlan } from './plan.ts';
import { SimulatedAgents } from './simulated-agents.ts';
import { isByMover, SimulatedMovers } from './simulated-movers.ts';
import { SimulatedNodes } from './simulated-nodes.ts';
import { movementObject, simulatedObjects } from './simulated-objects.ts';
import type { PlantedBug, SimulationResult } from './simulation-result.ts';
import { strike } from './strike.ts';
import { Ticker } from './ticker.ts';
import { Trace } from './trace.ts';
import { Watchdog } from './watchdog.ts';

/** Time after all faults: longer than the longest chain of timeouts. */
const calmMsMax = 90 * 60_000;
/** Time for deleted objects to be gone. */
const tidyMsMax = 15 * 60_000;
const stopMsMax = 10 * 60_000;

/** Runs one seed from plan to result. The seed decides everything; nothing waits for real time. */
export class Simulation {
  readonly plan: SimulationPlan;
  readonly #clock = new FakeClock('2030-01-01T00:00:00Z');
  readonly #startMs = this.#clock.now();
  readonly #trace = new Trace(() => this.#clock.now() - this.#startMs);
  readonly #cluster: FakeCluster;
  readonly #ledger = new Ledger();
  readonly #storage: StorageActor;
  readonly #storageTicker: Ticker;
  readonly #movers: SimulatedMovers;
  readonly #nodes: SimulatedNodes;
  readonly #agents: SimulatedAgents;
  readonly #watchdog: Watchdog;
  readonly #sourceVolumes: readonly string[];
  readonly #limits: MovementLimits;
  #created = 0;
  #writer: ProcessLife | undefined;

  constructor(plan: SimulationPlan, bug: PlantedBug = {}) {
    this.plan = plan;
    const { seed, reactionMsMax, nodes, slots, prepareQueueLength, exposuresMax } = plan;
    const { objects, volumes, snapshots } = simulatedObjects(plan);
    const clock = this.#clock;
    const cluster = fakeCluster({ clock, objects, random: diceFor(seed, 'server').random });
    this.#cluster = cluster;
    const ledger = this.#ledger;
    const limits: MovementLimits = { ...movementLimits, slots, prepareQueueLength, exposuresMax };
    this.#limits = limits;
    this.#watchdog = new Watchdog(clock, this.#trace, {
      slots,
      attempts: limits.attempts,
      ledger,
      limits,
      believedAwayMs: (node) => this.#agents.believedAwayMs(node),
    });
    const violated = (text: string) => this.#watchdog.violated(text);
    this.#storage = new StorageActor(cluster);
    for (const each of volumes) this.#storage.volumes.add(each);
    for (const each of snapshots) this.#storage.snapshots.add(each);
    this.#sourceVolumes = volumes;
    const times = { clock, dice: diceFor(seed, 'storage'), delayMsMax: reactionMsMax };
    this.#storageTicker = new Ticker(times, () => this.#storage.react());
    const chances = () => (this.#elapsedMs() >= plan.calmAtMs ? noFaults : plan.calls);
    const note = (text: string) => this.#trace.note(text);
    const network = new Network();
    const { fenceLimits } = bug;
    const movers = new SimulatedMovers({ cluster, clock, ledger, plan, network, fenceLimits, chances, note, violated });
    this.#movers = movers;
    const dice = diceFor(seed, 'nodes');
    const heard = (node: string, isHeard: boolean) => this.#agents.heard(node, isHeard);
    this.#nodes = new SimulatedNodes({ cluster, clock, dice, ledger, movers, nodes, network, heard, reactionMsMax });
    this.#agents = new SimulatedAgents({
      seed,
      cluster,
      clock,
      log: silentLogger,
      logs: logKeeper(cluster, clock),
      limits: { ...limits, ...bug.limits },
      network,
      chances,
      note,
      violated,
      mayStart: (node) => this.#nodes.isUp(node),
      lost: (node) => this.#loseAllOf(node),
      stranded: (node) => this.#ledger.stranded.add(node),
      wrap: bug.wrap,
    });
    cluster.onChange((change) => this.#changed(change));
    cluster.intercept((call, next) => {
      this.#writer = (call.options as { writer?: ProcessLife }).writer;
      const answer = next();
      this.#writer = undefined;
      return answer;
    });
  }

  async run(): Promise<SimulationResult> {
    const { plan } = this;
    for (const node of plan.nodes) this.#agents.start(node);
    for (const movement of plan.movements) void this.#story(movement);
    for (const chaos of plan.chaos) {
      void this.#clock.sleep(chaos.atMs).then(() => {
        if (this.#allConcluded()) return;
        this.#trace.note(`chaos ${JSON.stringify(chaos)}`);
        strike(chaos, { cluster: this.#cluster, agents: this.#agents, nodes: this.#nodes });
      });
    }
    await this.#until(() => this.#allConcluded(), plan.calmAtMs + calmMsMax);
    await this.#until(() => this.#leaked().length === 0, tidyMsMax);
    this.#judge();
    const lastedMs = this.#elapsedMs();
    await this.#stop();
    return {
      seed: plan.seed,
      violations: this.#watchdog.violations,
      trace: this.#trace.lines,
      hash: this.#trace.hash,
      ends: this.#watchdog.seen.map((each) => `${each.kind} ${each.status?.phase ?? 'New'}`),
      lastedMs,
      calls: countCalls(this.#cluster.calls.filter((call) => !isByMover(call))),
    };
  }

  /** What a user does with one movement. */
  async #story(movement: MovementPlan): Promise<void> {
    const { kind, name, createdAtMs, clientGoneAtMs, cancelAtMs, deleteAtMs } = movement;
    const cluster = this.#cluster;
    const type = movementTypes.find((each) => each.kind === kind);
    if (type === undefined) throw new Error(`there is no kind ${kind}`);
    const key = { namespace: 'velero', name };
    const at = (ms: number) => this.#clock.sleep(Math.max(ms - this.#elapsedMs(), 0));
    await at(createdAtMs);
    cluster.put(movementObject(movement));
    this.#created += 1;
    if (clientGoneAtMs !== undefined) void at(clientGoneAtMs).then(() => removeClient(cluster, name, this.#ledger));
    if (cancelAtMs !== undefined) {
      await at(cancelAtMs);
      const exists = cluster.find(type, key) !== undefined;
      if (exists) cluster.change<Movement>(type, key, ({ spec }) => Object.assign(spec, { cancel: true }));
    }
    if (deleteAtMs !== undefined) {
      await at(deleteAtMs);
      await cluster.delete(type, key).catch(() => {});
    }
  }

  #changed(change: StoredChange): void {
    this.#watchdog.changed(change, this.#writer);
    const { kind } = change.object;
    if (kind === 'Event' || movementTypes.some((each) => each.kind === kind)) return;
    if (kind === 'Pod' && change.type === 'DELETED') this.#nodes.partitions.podDeleted(change.object as unknown as Pod);
    if (kind !== 'Pod' || change.type === 'DELETED') this.#storageTicker.poke();
    this.#nodes.poke();
  }

  #allConcluded(): boolean {
    if (this.#created < this.plan.movements.length) return false;
    return this.#movements().every(
      ({ metadata, status }) => status?.completionTimestamp != null && !metadata.finalizers?.length,
    );
  }

  #movements(): Movement[] {
    return movementTypes.flatMap((type) => this.#cluster.look(type));
  }

  /** Another node that takes over from a lost node may have to start again. The loss of only the agent costs no attempt. */
  #loseAllOf(node: string): void {
    if (this.#nodes.isWorking(node)) return;
    for (const each of this.#movements()) if (ownerIn(each) === node) this.#ledger.lose(each.metadata.uid ?? '');
  }

  #judge(): void {
    const violated = (text: string) => this.#watchdog.violated(text);
    for (const each of this.#movements()) {
      if (each.status?.completionTimestamp == null) violated(`${each.metadata.name} has not ended`);
    }
    for (const each of this.#leaked()) violated(`left behind: ${each}`);
    for (const each of wrongEnds(this.#atRest(), this.#watchdog.seen)) violated(each);
  }

  #leaked(): string[] {
    return leaked(this.#atRest());
  }

  #atRest(): AtRest {
    return {
      plan: this.plan,
      cluster: this.#cluster,
      storage: this.#storage,
      ledger: this.#ledger,
      movements: this.#movements(),
      sourceVolumes: this.#sourceVolumes,
      attemptsMax: this.#limits.attempts,
    };
  }

  /** A process that is told to stop stops, and leaves no watch behind. */
  async #stop(): Promise<void> {
    this.#movers.endAll();
    this.#agents.stopAll();
    await this.#until(() => this.#agents.lingering === 0 && this.#cluster.openWatches === 0, stopMsMax);
    if (this.#agents.lingering > 0) this.#watchdog.violated('a node-agent that was told to stop did not');
    if (this.#cluster.openWatches > 0) this.#watchdog.violated(`${this.#cluster.openWatches} watches were left open`);
  }

  #elapsedMs(): number {
    return this.#clock.now() - this.#startMs;
  }

  /** Advances the clock from timer to timer until the condition holds, or until that much time has passed. */
  async #until(holds: () => boolean, withinMs: number): Promise<void> {
    const endMs = this.#clock.now() + withinMs;
    await this.#clock.advance(0);
    while (!holds()) {
      const stepMs = this.#clock.nextDueInMs;
      if (stepMs === undefined || this.#clock.now() + stepMs > endMs) return;
      await this.#clock.advance(stepMs);
    }
  }
}

export const simulate = (plan: SimulationPlan, bug?: PlantedBug): Promise<SimulationResult> =>
  new Simulation(plan, bug).run();
