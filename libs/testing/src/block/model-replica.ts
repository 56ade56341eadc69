import { linkRefused } from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';
import { ModelLink } from './model-link.ts';

export interface ModelReplicaOptions {
  name: string;
  sizeBytes: number;
  /** A write of a part of a unit fills the rest from the layer below the head, as qcow2 does with its subclusters. */
  unitBytes: number;
  clock: Clock;
  /** Delivers a message to the other side, later or never. */
  later(deliver: () => void): void;
  /** A number in [0, 1): decides what survives a power loss. */
  chance(): number;
  /** A violation: something that no engine may do, in one sentence. */
  violated?(what: string): void;
}

interface Written {
  at: number;
  bytes: Uint8Array;
  isDurable: boolean;
}

/**
 * A replica as a byte array: a head over an optional base, writes that a power loss may remove until they are flushed, and the
 * promised generation. {@link ModelLink} simulates the network.
 */
export class ModelReplica {
  readonly options: ModelReplicaOptions;
  /** Connections that are being served. */
  readonly links = new Set<ModelLink>();
  promised = 0;
  /** Answers nothing; requests are accepted and lost. */
  isHung = false;
  isDead = false;
  /** Its disk is full: a change may find room or not, and one that does not is carried out in part. */
  isFull = false;
  hasLostPower = false;
  /** The error for the next request. */
  nextError: Error | undefined;
  /** The next request is processed, and answered when this has resolved. */
  nextAnswer: Promise<void> | undefined;
  readonly #head: Uint8Array;
  readonly #isAllocated: Uint8Array;
  #base: Uint8Array | undefined;
  #durable: Uint8Array;
  #sinceFlush: Written[] = [];

  constructor(options: ModelReplicaOptions) {
    this.options = options;
    this.#head = new Uint8Array(options.sizeBytes);
    this.#durable = new Uint8Array(options.sizeBytes);
    this.#isAllocated = new Uint8Array(Math.ceil(options.sizeBytes / options.unitBytes));
  }

  get name(): string {
    return this.options.name;
  }

  /** `later`: how this connection delivers messages. @throws AppError `LINK_REFUSED` for another generation or a dead replica */
  connect(generation: number, later = this.options.later): ModelLink {
    if (this.isDead || this.isHung || generation !== this.promised)
      throw linkRefused(`${this.name} serves generation ${this.promised}, not ${generation}`);
    const link = new ModelLink(this, later);
    this.links.add(link);
    return link;
  }

  /** The next request gets no response until the returned function is called. */
  nextHangs(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.nextAnswer = promise;
    return resolve;
  }

  /** Stops serving all earlier connections: nothing that arrives over them is processed. */
  promise(generation: number): void {
    this.promised = generation;
    this.cut();
  }

  /** Ends all connections: both sides learn of it. */
  cut(): void {
    for (const link of [...this.links]) link.cut();
  }

  /** The bytes that a reader of the whole volume sees. */
  get content(): Uint8Array {
    return this.readBytes(0, this.#head.length);
  }

  readBytes(at: number, length: number): Uint8Array {
    const { unitBytes } = this.options;
    const bytes = this.#head.slice(at, at + length);
    for (let i = 0; i < length; i++) {
      if (this.#isAllocated[Math.floor((at + i) / unitBytes)] !== 1) bytes[i] = this.#base?.[at + i] ?? 0;
    }
    return bytes;
  }

  writeBytes(at: number, bytes: Uint8Array, isDurable: boolean): void {
    const { unitBytes } = this.options;
    for (let unit = Math.floor(at / unitBytes); unit * unitBytes < at + bytes.length; unit++) {
      if (this.#isAllocated[unit] === 1) continue;
      const start = unit * unitBytes;
      const below = this.#base?.subarray(start, start + unitBytes);
      if (below === undefined) this.#head.fill(0, start, start + unitBytes);
      else this.#head.set(below, start);
      this.#isAllocated[unit] = 1;
    }
    this.#head.set(bytes, at);
    this.#sinceFlush.push({ at, bytes: bytes.slice(), isDurable });
  }

  /** A discard in qcow2 may keep the old data or give zeros, depending on the layer below: here it is random. */
  discardBytes(at: number, length: number): void {
    this.options.violated?.(`${this.name} was asked to discard`);
    if (this.options.chance() < 0.5) this.writeBytes(at, new Uint8Array(length), false);
  }

  flush(): void {
    this.#durable = this.content;
    this.#sinceFlush = [];
  }

  /** Sets the data below the head; the head keeps what was written meanwhile. */
  setBase(base: Uint8Array): void {
    this.#base = base.slice();
    this.flush();
  }

  /** A copy of the content after a power loss: each unflushed piece is kept or lost. */
  afterPowerLoss(): Uint8Array {
    const content = this.#durable.slice();
    for (const { at, bytes, isDurable } of this.#sinceFlush) {
      if (isDurable || this.options.chance() < 0.5) content.set(bytes, at);
    }
    return content;
  }

  /** Loses power and restarts with the remaining data; all connections are cut. */
  losePower(): void {
    this.#head.set(this.afterPowerLoss());
    this.#isAllocated.fill(1);
    this.flush();
    this.hasLostPower = true;
    this.cut();
  }
}
