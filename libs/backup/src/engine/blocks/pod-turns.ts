import { orAborted } from '@lateen/kernel';

/**
 * Lets one backup at a time freeze a pod. A backup of a namespace and one of the whole cluster may run at the same time (docs/adr/0031); if
 * the hooks of both ran in one pod, the first to end would thaw the pod during the snapshot of the other. Shared by all runs of a process.
 */
export class PodTurns {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits until all these pods are free, in the order of the calls. The pods are taken one by one in an order that is the same for all
   * callers, so that two never wait for each other. @returns a function that releases them @throws the signal's reason; then none is held
   */
  async take(uids: readonly string[], signal: AbortSignal): Promise<() => void> {
    const held: (() => void)[] = [];
    const release = () => {
      for (const each of held.splice(0)) each();
    };
    try {
      for (const uid of [...new Set(uids)].sort()) held.push(await this.#takeOne(uid, signal));
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #takeOne(uid: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#last.get(uid) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const both = before.then(() => mine.promise);
    this.#last.set(uid, both);
    const release = () => {
      mine.resolve();
      if (this.#last.get(uid) === both) this.#last.delete(uid);
    };
    try {
      await orAborted(before, signal);
      return release;
    } catch (error) {
      // The next in the queue waits for those before this one instead.
      mine.resolve();
      throw error;
    }
  }

  /** The number of pods that are held or waited for. */
  get size(): number {
    return this.#last.size;
  }
}
