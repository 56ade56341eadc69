/** Requests touch whole sectors; each is a register of its own that holds what the last write has put there. */
export const sectorBytes = 4;

/** One request as its caller saw it. Times count what happened, they are no clock. */
export interface Operation {
  readonly kind: 'read' | 'write';
  readonly start: number;
  /** Infinity: no answer, or an error: it may have happened or not, at any time. */
  end: number;
  readonly at: number;
  readonly length: number;
  /** For a write the value of all its bytes; for a read what was in each sector. */
  values: readonly number[];
}

/** What all callers of a volume have done and seen, over all engines that have served it. */
export class History {
  readonly operations: Operation[] = [];
  #time = 0;

  get time(): number {
    return this.#time;
  }

  begin(kind: Operation['kind'], at: number, length: number, values: readonly number[] = []): Operation {
    const operation: Operation = { kind, start: this.#time++, end: Number.POSITIVE_INFINITY, at, length, values };
    this.operations.push(operation);
    return operation;
  }

  end(operation: Operation, values?: readonly number[]): void {
    operation.end = this.#time++;
    if (values !== undefined) operation.values = values;
  }

  /** A read that is known to have seen this. */
  saw(content: Uint8Array): void {
    const read = this.begin('read', 0, content.length);
    this.end(read, sectorsOf(content));
  }
}

/** The value of each sector; -1 where its bytes differ: no request leaves that. */
export function sectorsOf(bytes: Uint8Array): number[] {
  return Array.from({ length: bytes.length / sectorBytes }, (_, i) => {
    const sector = bytes.subarray(i * sectorBytes, (i + 1) * sectorBytes);
    return sector.every((byte) => byte === sector[0]) ? (sector[0] ?? -1) : -1;
  });
}
