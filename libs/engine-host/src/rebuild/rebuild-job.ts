import { type EngineAddReplica, hostError, type RebuildProgress } from '@lateen/block-engine';
import { orAborted } from '@lateen/kernel';
import type { LiveEngine } from '../engine/live-engine.ts';
import { shownError } from '../engine/shown-error.ts';
import { runRebuild } from './run-rebuild.ts';

/** One rebuild. It continues without watchers, and ends with its engine, with its replica, or when it is done. */
export class RebuildJob {
  readonly request: EngineAddReplica;
  /** Aborts when it can no longer succeed. */
  readonly signal: AbortSignal;
  readonly #engine: LiveEngine;
  readonly #lost = new AbortController();
  readonly #done: Promise<void>;
  #progress: RebuildProgress;
  #isMember = false;
  #hasEnded = false;
  #changed = Promise.withResolvers<void>();

  constructor(engine: LiveEngine, request: EngineAddReplica) {
    this.#engine = engine;
    this.request = request;
    this.signal = AbortSignal.any([engine.parts.ended, this.#lost.signal]);
    this.#progress = { replica: this.replica, step: 'preparing', layer: 0, layers: 0, doneBytes: 0n, totalBytes: 0n };
    this.show({});
    this.#done = this.#run();
    // Watchers see the rejection.
    this.#done.catch(() => {});
  }

  get replica(): string {
    return this.request.replica.replica;
  }

  /** The replica takes writes. */
  joined(): void {
    this.#isMember = true;
  }

  /** Called after each change of the set: a rebuild whose replica has left the set is ended. */
  look(): void {
    if (this.#isMember && !this.#engine.set.state.modes.has(this.replica))
      this.#lost.abort(hostError('NOT_POSSIBLE_NOW', `${this.replica} has failed while it was rebuilt`));
  }

  show(part: Partial<RebuildProgress>): void {
    this.#progress = { ...this.#progress, ...part };
    this.#engine.rebuild = this.#progress;
    this.#wake();
  }

  /** The present step, then each change; ends when the replica is read and written. @throws the error that has ended it */
  async *watch(signal: AbortSignal): AsyncGenerator<RebuildProgress, void, undefined> {
    while (!this.#hasEnded) {
      const changed = this.#changed.promise;
      yield this.#progress;
      if (!this.#hasEnded) await orAborted(changed, signal);
    }
    await this.#done;
  }

  async #run(): Promise<void> {
    const engine = this.#engine;
    try {
      await runRebuild(engine, this);
      engine.rebuild = undefined;
    } catch (error) {
      engine.parts.ports.log.warn({ replica: this.replica, err: error }, 'a replica could not be rebuilt');
      engine.rebuild = { ...this.#progress, error: shownError(error) };
      throw error;
    } finally {
      engine.job = undefined;
      this.#hasEnded = true;
      this.#wake();
    }
  }

  #wake(): void {
    this.#engine.parts.publish();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
