import type { ReplicaSetChange } from './replica-set.ts';

interface Reader {
  changes: ReplicaSetChange[];
  wake: (() => void) | undefined;
}

/** Each reader gets each change; a reader that is too slow gets the information that it has missed some, so that memory stays bounded. */
export class ChangeFeed implements AsyncIterable<ReplicaSetChange> {
  readonly #max: number;
  readonly #readers = new Set<Reader>();
  #isEnded = false;

  constructor(max: number) {
    this.#max = max;
  }

  tell(change: ReplicaSetChange): void {
    for (const reader of this.#readers) {
      if (reader.changes.length >= this.#max) reader.changes = [{ kind: 'missed' }];
      reader.changes.push(change);
      reader.wake?.();
    }
  }

  end(): void {
    this.#isEnded = true;
    for (const reader of this.#readers) reader.wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<ReplicaSetChange> {
    const reader: Reader = { changes: [], wake: undefined };
    this.#readers.add(reader);
    return this.#read(reader);
  }

  async *#read(reader: Reader): AsyncGenerator<ReplicaSetChange> {
    try {
      for (;;) {
        const next = reader.changes.shift();
        if (next !== undefined) yield next;
        else if (this.#isEnded) return;
        else await this.#moreFor(reader);
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  #moreFor(reader: Reader): Promise<void> {
    return new Promise((resolve) => {
      reader.wake = () => {
        reader.wake = undefined;
        resolve();
      };
    });
  }
}
