import { isAppError } from '@lateen/errors';
import { orAborted, type RetryPolicy, retry, silentLogger } from '@lateen/kernel';
import { type Comparison, type ReplicaSetLimits, type ReplicaSetOptions, startReplicaSet } from '@lateen/replica-set';
import type { Durable } from './front-end.ts';
import { FrontEnd } from './front-end.ts';
import { unitBytes, volumeBytes, type World } from './world.ts';

export type StartSet = typeof startReplicaSet;

/** Times of the simulation: a hundredth of the real ones. */
export const simulatedLimits: Partial<ReplicaSetLimits> = {
  replyTimeoutMs: 40,
  leaseMs: 40,
  recordMs: 60,
  compareBytes: unitBytes * 2,
  compareAgainFirstMs: 2,
  compareAgainMaxMs: 20,
};

/** Like the `FailureRecorder` of the host, a hundred times faster. */
const recordPolicy: RetryPolicy = {
  backoff: { firstMs: 2, maxMs: 50, factor: 2, jitter: 0.2 },
  mayRetry: (error) => !isAppError(error, 'GENERATION_OVER'),
};
const recordAttemptMs = 100;

/** For tests of the simulation itself: a defect to plant in the engine. */
export interface PlantedBug {
  start?: (options: ReplicaSetOptions) => ReturnType<StartSet>;
  /** The rebuild promotes the replica before its layers are copied. */
  promotesEarly?: boolean;
}

/** Which events may occur. A power loss removes unflushed writes, which the check of a history over several engines cannot explain. */
export type StoryKind = 'one engine' | 'generations';

/** The volume as its manager sees it: one engine after the other, over replicas that fail and are rebuilt. */
export class Volume {
  readonly world: World;
  readonly bug: PlantedBug;
  readonly limits: Partial<ReplicaSetLimits>;
  readonly durables: Durable[] = [];
  readonly frontEnds: FrontEnd[] = [];
  readonly kind: StoryKind;
  made = 0;
  /** An engine is being started or a replica rebuilt: one at a time. */
  isStarting = false;
  isRebuilding = false;
  /** No replica is left from which an engine could start. */
  isFaulted = false;
  readPrimary: string | undefined;

  constructor(world: World, bug: PlantedBug) {
    this.world = world;
    this.bug = bug;
    const { dice } = world;
    this.kind = dice.chance(0.6) ? 'generations' : 'one engine';
    this.limits = { ...simulatedLimits, ...(dice.chance(0.3) ? { requestsMax: dice.between(1, 6) } : {}) };
  }

  /** The latest engine, if it is serving. */
  get front(): FrontEnd | undefined {
    const front = this.frontEnds.at(-1);
    return front?.set.state.over === undefined ? front : undefined;
  }

  makeReplica(): string {
    const name = `r${this.made++}`;
    this.world.makeReplica(name);
    return name;
  }

  /** @throws AppError `LINK_REFUSED` */
  startEngine(generation: number, names: readonly string[], isClean = true): FrontEnd {
    const { world } = this;
    const engine = `e${generation}`;
    const start = this.bug.start ?? startReplicaSet;
    const set = start({
      volume: 'v',
      generation,
      sizeBytes: BigInt(volumeBytes),
      replicas: names.map((name, i) => ({ name, link: this.connect(engine, generation, name), local: i === 0 })),
      ...(isClean ? {} : { comparison: this.#comparison(names) }),
      recordFailure: ({ replica, last }, signal) => {
        const attempt = () => {
          const ends = AbortSignal.any([signal, world.clock.deadline(recordAttemptMs)]);
          return orAborted(
            world.api.call(engine, () => (last ? undefined : world.api.recordFailure(generation, replica))),
            ends,
          );
        };
        return retry({ clock: world.clock, random: world.dice.random }, recordPolicy, attempt, signal);
      },
      clock: world.clock,
      random: world.dice.random,
      log: silentLogger,
      limits: this.limits,
      metrics: {
        answered: (request) => {
          if (request !== 'read' && set.state.unrecorded.length > 0)
            world.violated(`${engine}: a ${request} was acknowledged while a failure is unrecorded`);
        },
      },
    });
    world.note(`${engine} starts with ${names.join(' ')}`);
    const front = new FrontEnd({ world, set, name: engine, generation, durables: this.durables });
    this.frontEnds.push(front);
    void this.#tell(front);
    return front;
  }

  connect(engine: string, generation: number, name: string) {
    const replica = this.world.replicas.get(name);
    if (replica === undefined) throw new Error(`no replica ${name}`);
    return replica.connect(generation, this.world.between(engine, name));
  }

  #comparison(names: readonly string[]): Comparison {
    if (this.readPrimary === undefined || !names.includes(this.readPrimary)) this.readPrimary = names[0] ?? '';
    async function* extents() {
      for (let at = 0; at < volumeBytes; at += 2 * unitBytes)
        yield { startBytes: BigInt(at), lengthBytes: BigInt(2 * unitBytes) };
    }
    return { primary: this.readPrimary, extents };
  }

  async #tell({ set, name }: FrontEnd): Promise<void> {
    for await (const change of set.changes) {
      const about = 'replica' in change ? ` ${change.replica}` : '';
      const why =
        'cause' in change ? `: ${change.cause.message}` : 'error' in change ? `: ${change.error.message}` : '';
      this.world.note(`${name}: ${change.kind}${about}${why}`);
    }
  }
}
