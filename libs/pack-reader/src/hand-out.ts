import { AppError } from '@lateen/errors';
import type { FetchedSlices, PackSlice } from './pack-reader.ts';
import { type PartLimits, type PlannedRange, partsOf } from './plan-ranges.ts';
import type { Lent } from './shared-memory.ts';

/** Enough for a worker to be worth a message, and little enough that several workers end at about the same time. */
export const partLimits: PartLimits = { slicesMax: 1_024, bytesMax: 2 * 1024 * 1024 };

/** Hands a range out part by part as its bytes come, and says when all parts are done with. */
export class HandOut<Slice extends PackSlice> {
  readonly #range: PlannedRange<Slice>;
  readonly #memory: Lent;
  readonly #give: (fetched: FetchedSlices<Slice>) => Promise<void>;
  readonly #parts: PlannedRange<Slice>[];
  #next = 0;
  readonly #taken: Promise<void>[] = [];

  /** @param give never rejects */
  constructor(range: PlannedRange<Slice>, memory: Lent, give: (fetched: FetchedSlices<Slice>) => Promise<void>) {
    this.#range = range;
    this.#memory = memory;
    this.#give = give;
    this.#parts = partsOf(range, partLimits);
  }

  /** The number of bytes of the range that have arrived. */
  filled(bytes: number): void {
    const end = this.#range.offset + bytes;
    for (; ; this.#next++) {
      const part = this.#parts[this.#next];
      if (part === undefined || part.offset + part.length > end) return;
      const at = part.offset - this.#range.offset;
      const { offset, slices } = part;
      this.#taken.push(this.#give({ bytes: this.#memory.bytes.subarray(at, at + part.length), offset, slices }));
    }
  }

  /** A slice that is silently left out would be a missing file that is not noticed. @throws PACK_SLICES_LOST: a bug of this library */
  mustBeWhole(): void {
    const left = this.#parts.slice(this.#next).reduce((sum, { slices }) => sum + slices.length, 0);
    if (left === 0) return;
    const { packId, offset } = this.#range;
    throw new AppError(
      'PACK_SLICES_LOST',
      `${left} slices of pack ${packId} from ${offset} on have not been handed out`,
      {
        nextStep: 'Restore again, and report this message.',
      },
    );
  }

  /** Returns the memory when it is no longer used. */
  async done(): Promise<void> {
    await Promise.all(this.#taken);
    this.#memory.free();
  }
}
