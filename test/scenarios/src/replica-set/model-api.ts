import { AppError } from '@lateen/errors';
import type { World } from './world.ts';

/** What the API server stores of one volume: its generation, and the healthy and failed replicas. */
export class ModelApi {
  generation = 0;
  /** The last generation that ended cleanly. */
  cleanStop = 0;
  readonly healthy = new Set<string>();
  readonly failed = new Set<string>();
  isUp = true;
  readonly #world: World;
  /** Counts the changes of each replica's state, as resourceVersion does. */
  readonly #versions = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The replicas that a later generation starts with. */
  get candidates(): string[] {
    return [...this.healthy].filter((name) => !this.failed.has(name)).sort();
  }

  version(name: string): number {
    return this.#versions.get(name) ?? 0;
  }

  /** A call of `caller`: it may be lost, rejected, or carried out with the answer lost. */
  call<T>(caller: string, act: () => T): Promise<T> {
    const { dice } = this.#world;
    const send = this.#world.between(caller, 'api');
    return new Promise((resolve, reject) => {
      send(() => {
        if (!this.isUp) return send(() => reject(new AppError('API_AWAY', 'no answer', { retry: 'soon' })));
        if (dice.chance(0.05)) return send(() => reject(new AppError('API_BUSY', 'too many', { retry: 'soon' })));
        let answer: () => void;
        try {
          const done = act();
          answer = () => resolve(done);
        } catch (error) {
          answer = () => reject(error);
        }
        const isLost = dice.chance(0.05);
        send(isLost ? () => reject(new AppError('API_LOST', 'the answer is lost', { retry: 'soon' })) : answer);
      });
    });
  }

  recordFailure(generation: number, name: string): void {
    this.#mustBe(generation);
    this.failed.add(name);
    this.#versions.set(name, this.version(name) + 1);
    this.#world.note(`api: ${name} is recorded as failed under generation ${generation}`);
  }

  recordHealthy(generation: number, name: string, version: number): void {
    this.#mustBe(generation);
    if (version !== this.version(name)) throw new AppError('CONFLICT', `${name} has changed`);
    this.healthy.add(name);
    this.#versions.set(name, version + 1);
    this.#world.note(`api: ${name} is recorded as healthy under generation ${generation}`);
  }

  #mustBe(generation: number): void {
    if (generation !== this.generation)
      throw new AppError('GENERATION_OVER', `generation ${this.generation} has begun`);
  }
}
