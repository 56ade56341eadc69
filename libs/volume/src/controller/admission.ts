import { volumeLimits } from '../limits.ts';
import type { Files } from '../store/files.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { StatePaths } from '../store/state-paths.ts';
import { volumeError } from '../volume-error.ts';

/**
 * Room for new data. A volume's unwritten part is promised to it, so it is not offered again. Blocks that a snapshot
 * shares with its volume are counted once: rewriting all of them needs room that is not set aside (thin snapshots).
 */
export class Admission {
  readonly #files: Files;
  readonly #store: RecordStore;
  readonly #paths: StatePaths;
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: Files, store: RecordStore, paths: StatePaths) {
    this.#files = files;
    this.#store = store;
    this.#paths = paths;
  }

  /** What a new volume could have, in bytes, never negative. */
  async availableBytes(): Promise<number> {
    const space = await this.#files.space(this.#paths.data);
    let promised: number = volumeLimits.headroomBytes;
    for (const volume of this.#store.volumes()) {
      const facts = await this.#files.facts(this.#paths.backingFile(volume));
      promised += Math.max(0, volume.capacityBytes - (facts?.allocatedBytes ?? 0));
    }
    const available = space.availableBytes - promised;
    return Math.max(0, Math.floor(available / volumeLimits.roundBytes) * volumeLimits.roundBytes);
  }

  /**
   * Checks that there is room and then runs `commit`, which records the promise. One at a time, so that two calls do not
   * both take the last gigabyte.
   * @throws AppError `RESOURCE_EXHAUSTED`.
   */
  admit<T>(bytes: number, what: string, commit: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      const available = await this.availableBytes();
      if (bytes > available) throw noRoom(bytes, available, what);
      return commit();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function noRoom(bytes: number, available: number, what: string): Error {
  return volumeError('RESOURCE_EXHAUSTED', `${what} needs ${bytes} bytes, but this node has ${available} left`, {
    retry: 'later',
    details: { bytes, available },
    nextStep: 'Delete volumes or snapshots on this node, or give the state directory more room.',
  });
}
