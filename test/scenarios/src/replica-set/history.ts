/** Requests cover whole sectors; each sector is a register of its own with the value of the last write. */
export const sectorBytes = 4;

/** One request as its caller saw it. Times are event numbers, not clock times. */
export interface Operation {
  readonly kind: 'read' | 'write';
  readonly start: number;
  /** Infinity: no answer, or an error; the request may have taken effect at any time, or not at all. */
  end: number;
  readonly at: number;
  readonly length: number;
  /** For a write the value of all its bytes; for a read the value of each sector. */
  values: readonly number[];
}

/** All requests to a volume and their answers, over all engines that have served it. */
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

  /** Records a read with this result. */
  saw(content: Uint8Array): void {
    const read = this.begin('read', 0, content.length);
    this.end(read, sectorsOf(content));
  }
}

/** The value of each sector; -1 where its bytes differ, which no request leaves behind. */
export function sectorsOf(bytes: Uint8Array): number[] {
  return Array.from({ length: bytes.length / sectorBytes }, (_, i) => {
    const sector = bytes.subarray(i * sectorBytes, (i + 1) * sectorBytes);
    return sector.every((byte) => byte === sector[0]) ? (sector[0] ?? -1) : -1;
  });
}
