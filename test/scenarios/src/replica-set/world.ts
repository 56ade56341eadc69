import { FakeClock, ModelReplica } from '@lateen/testing';
import { type Dice, diceFor } from '../simulation/dice.ts';
import { Trace } from '../simulation/trace.ts';
import { History } from './history.ts';
import { ModelApi } from './model-api.ts';

export const volumeBytes = 64;
export const unitBytes = 8;

/** The state of one seed: replicas, the API, the messages between them, the results of callers, and violations. */
export class World {
  readonly seed: number;
  readonly clock = new FakeClock(0);
  readonly dice: Dice;
  readonly trace = new Trace(() => this.clock.now());
  readonly history = new History();
  readonly violations: string[] = [];
  readonly replicas = new Map<string, ModelReplica>();
  readonly api: ModelApi;
  /** These reach each other, and none of the others. */
  readonly apart = new Set<string>();
  readonly #messages: { isCut: () => boolean; deliver: () => void }[] = [];
  readonly #messageDice: Dice;

  #value = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.dice = diceFor(seed, 'story');
    this.#messageDice = diceFor(seed, 'messages');
    this.api = new ModelApi(this);
  }

  note(text: string): void {
    this.trace.note(text);
  }

  violated(what: string): void {
    this.note(`BROKEN: ${what}`);
    this.violations.push(what);
  }

  /** Delivers messages between the two: in any order, or not at all while they are cut off from each other. */
  between(one: string, other: string): (deliver: () => void) => void {
    const isCut = () => this.apart.has(one) !== this.apart.has(other);
    return (deliver) => void this.#messages.push({ isCut, deliver });
  }

  makeReplica(name: string): ModelReplica {
    const replica = new ModelReplica({
      name,
      sizeBytes: volumeBytes,
      unitBytes,
      clock: this.clock,
      later: this.between(name, 'nobody'),
      chance: () => this.#messageDice.random.next(),
      violated: (what) => this.violated(what),
    });
    this.replicas.set(name, replica);
    return replica;
  }

  /** Delivers one of the oldest messages, and more when many are queued. */
  deliver(): void {
    for (let left = 1 + Math.floor(this.#messages.length / 6); left > 0; left--) this.#deliverOne();
  }

  #deliverOne(): void {
    if (this.#messages.length === 0) return;
    const at = this.#messageDice.between(0, Math.min(this.#messages.length, 6) - 1);
    const [message] = this.#messages.splice(at, 1);
    if (message !== undefined && !message.isCut()) message.deliver();
  }

  /** The value of the next write; overlapping writes never have the same. */
  nextValue(): number {
    this.#value = (this.#value % 250) + 1;
    return this.#value;
  }

  get messages(): number {
    return this.#messages.length;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }
}
