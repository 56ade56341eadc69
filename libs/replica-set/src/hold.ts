import { type Clock, orAborted } from '@lateen/kernel';
import type { ReplicaFailure } from './failure.ts';
import type { Member } from './member.ts';

export interface HoldPorts {
  recordFailure(failure: ReplicaFailure, signal: AbortSignal): Promise<void>;
  /** The failure will never be recorded. */
  over(error: unknown): void;
  recorded(failure: ReplicaFailure): void;
  /** Every failure is recorded now. */
  released(heldMs: number): void;
  clock: Clock;
  /** Aborts when the set is over. */
  signal: AbortSignal;
}

/** Replicas that have left and whose failure is not recorded yet. While there is one, nothing is acknowledged. */
export class Hold {
  readonly #ports: HoldPorts;
  readonly #unrecorded = new Map<Member, { failure: ReplicaFailure; settled: Promise<void> }>();
  #since: { at: number; monotonicMs: number } | undefined;

  constructor(ports: HoldPorts) {
    this.#ports = ports;
  }

  get isHolding(): boolean {
    return this.#unrecorded.size > 0;
  }

  /** Epoch ms. */
  get since(): number | undefined {
    return this.#since?.at;
  }

  /** These replicas still count for the lease: until their failure is recorded, a later generation may begin with them. */
  get members(): Member[] {
    return [...this.#unrecorded.keys()];
  }

  get failures(): ReplicaFailure[] {
    return Array.from(this.#unrecorded.values(), ({ failure }) => failure);
  }

  /** Resolves when this failure is recorded; rejects when the set is over before that. */
  async whenRecorded(member: Member): Promise<void> {
    await this.#unrecorded.get(member)?.settled;
  }

  begin(member: Member, failure: ReplicaFailure): void {
    const { clock } = this.#ports;
    this.#since ??= { at: clock.now(), monotonicMs: clock.monotonicMs() };
    const settled = this.#record(member, failure);
    // The waiting caller sees the rejection; the set itself is notified by `over`.
    settled.catch(() => {});
    this.#unrecorded.set(member, { failure, settled });
  }

  async #record(member: Member, failure: ReplicaFailure): Promise<void> {
    try {
      // A pending record as healthy must not be written after this record.
      if (member.healthRecord !== undefined)
        await orAborted(member.healthRecord, this.#ports.signal).catch(() => this.#ports.signal.throwIfAborted());
      const { signal } = this.#ports;
      await orAborted(this.#ports.recordFailure(failure, signal), signal);
    } catch (error) {
      this.#ports.over(error);
      throw error;
    }
    this.#unrecorded.delete(member);
    this.#ports.recorded(failure);
    this.#release();
  }

  #release(): void {
    if (this.isHolding || this.#since === undefined) return;
    const heldMs = this.#ports.clock.monotonicMs() - this.#since.monotonicMs;
    this.#since = undefined;
    this.#ports.released(heldMs);
  }
}
