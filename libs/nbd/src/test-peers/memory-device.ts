import type { BlockTarget, WriteOptions, ZeroOptions } from '@lateen/block-engine';

export interface DeviceCall {
  call: 'read' | 'write' | 'zero' | 'trim' | 'flush';
  at?: bigint;
  lengthBytes?: number;
  options?: WriteOptions | ZeroOptions;
}

/** A disk in memory (it may say that it is larger than its memory is: what lies behind is not kept) that remembers what it was asked. `hold` keeps requests until they are let go, in any order. */
export class MemoryDevice implements BlockTarget {
  readonly bytes: Buffer;
  readonly calls: DeviceCall[] = [];
  /** Rejects the next request with this error. */
  failure: unknown;
  hold = false;
  readonly held: (() => void)[] = [];
  sizeBytes: bigint;

  constructor(sizeBytes: number) {
    this.bytes = Buffer.alloc(sizeBytes);
    this.sizeBytes = BigInt(sizeBytes);
  }

  read(at: bigint, lengthBytes: number): Promise<readonly Uint8Array[]> {
    return this.#do({ call: 'read', at, lengthBytes }, () => {
      const all = Buffer.from(this.bytes.subarray(Number(at), Number(at) + lengthBytes));
      // Split, like chunks that arrive over a socket.
      return [all.subarray(0, lengthBytes >> 1), all.subarray(lengthBytes >> 1)];
    });
  }

  write(at: bigint, data: readonly Uint8Array[], options?: WriteOptions): Promise<void> {
    const whole = Buffer.concat(data);
    return this.#do({ call: 'write', at, lengthBytes: whole.length, ...(options && { options }) }, () => {
      whole.copy(this.bytes, Number(at));
    });
  }

  zero(at: bigint, lengthBytes: number, options?: ZeroOptions): Promise<void> {
    return this.#do({ call: 'zero', at, lengthBytes, ...(options && { options }) }, () => {
      this.bytes.subarray(Number(at), Number(at) + lengthBytes).fill(0);
    });
  }

  trim(at: bigint, lengthBytes: number): Promise<void> {
    return this.#do({ call: 'trim', at, lengthBytes }, () => {});
  }

  flush(): Promise<void> {
    return this.#do({ call: 'flush' }, () => {});
  }

  async #do<T>(call: DeviceCall, act: () => T): Promise<T> {
    this.calls.push(call);
    if (this.hold) await new Promise<void>((resolve) => this.held.push(resolve));
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    return act();
  }
}
