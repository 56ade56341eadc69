import { orAborted } from '@lateen/kernel';

/**
 * One backup at a time holds a pod still. Backups of a namespace and of the whole cluster run at the same time (docs/adr/0031); if the
 * hooks of both ran in one pod, the first that ends would thaw it under the snapshot of the other. Shared by all runs of a process.
 */
export class PodTurns {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits until all these pods are free, first come, first served. They are taken one by one in an order that is the same for everybody, so
   * that two never wait for each other. @returns how to let them go @throws the signal's reason; then none is held
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
      // Who comes after waits for those before this one, not for this one.
      mine.resolve();
      throw error;
    }
  }

  /** Pods that are held or waited for. */
  get size(): number {
    return this.#last.size;
  }
}
