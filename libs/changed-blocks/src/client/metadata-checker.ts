import { doubt } from '../doubt.ts';
import { type BlockMetadata, BlockMetadataType } from '../generated/snapshot-metadata.ts';
import { RangeList, type RangeListLimits } from '../ranges/range-list.ts';

/** What both calls answer. */
export interface MetadataAnswer {
  readonly blockMetadataType: BlockMetadataType;
  readonly volumeCapacityBytes: bigint;
  readonly blockMetadata: readonly BlockMetadata[];
}

/**
 * Accepts answers of a SnapshotMetadata service only if they follow the API, and collects their ranges. An answer may come in several
 * streams: each continues where the previous one was interrupted.
 */
export class MetadataChecker {
  readonly #list: RangeList;
  #type: BlockMetadataType | undefined;
  /** Of FIXED_LENGTH: the size of all blocks. */
  #blockBytes: bigint | undefined;
  #next = 0n;
  /** The first block of a stream may begin before the offset that was asked for; it ends behind it. */
  #isFirst = true;

  constructor(limits: RangeListLimits) {
    this.#list = new RangeList(limits);
  }

  /** Begins a stream. @returns where it is to start: behind the last range that was received */
  begin(): bigint {
    this.#isFirst = true;
    return this.#next;
  }

  /** Whether the ranges reach the end of the volume: there can be no more. */
  get isWhole(): boolean {
    return this.#type !== undefined && this.#next === BigInt(this.#list.sizeBytes);
  }

  /** Whether anything has come. */
  get hasBegun(): boolean {
    return this.#type !== undefined;
  }

  /** Where a stream would go on. */
  get nextOffset(): bigint {
    return this.#next;
  }

  /** @throws a doubt; the checker is of no use after that */
  take({ blockMetadataType, volumeCapacityBytes, blockMetadata }: MetadataAnswer): void {
    if (volumeCapacityBytes !== BigInt(this.#list.sizeBytes))
      throw doubt('DELTA_SIZE_DIFFERS', `${volumeCapacityBytes} bytes where the volume has ${this.#list.sizeBytes}`);
    if (blockMetadataType !== BlockMetadataType.FIXED_LENGTH && blockMetadataType !== BlockMetadataType.VARIABLE_LENGTH)
      throw doubt('DELTA_ANSWER_WRONG', `there is no block_metadata_type ${blockMetadataType}`);
    this.#type ??= blockMetadataType;
    if (this.#type !== blockMetadataType)
      throw doubt('DELTA_ANSWER_WRONG', `block_metadata_type was ${this.#type} and is ${blockMetadataType}`);
    for (const block of blockMetadata) this.#add(block);
  }

  /** What has changed, after a stream that has ended well. @throws a doubt when it had no message: nothing says of which volume it was */
  finished(): RangeList {
    if (this.hasBegun) return this.#list;
    throw doubt('DELTA_ANSWER_WRONG', 'it has no message, so nothing says of which volume it is');
  }

  #add({ byteOffset, sizeBytes }: BlockMetadata): void {
    const block = `${sizeBytes} bytes from ${byteOffset} on`;
    if (sizeBytes <= 0n || byteOffset < 0n) throw doubt('DELTA_ANSWER_WRONG', `a block of ${block}`);
    const end = this.#end({ byteOffset, sizeBytes }, block);
    const start = this.#isFirst && byteOffset < this.#next && end > this.#next ? this.#next : byteOffset;
    if (start < this.#next) {
      const code = end > this.#next ? 'DELTA_OVERLAPPING' : 'DELTA_OUT_OF_ORDER';
      throw doubt(code, `${block} came after the block that ends at ${this.#next}`);
    }
    this.#isFirst = false;
    this.#list.add({ offset: Number(start), length: Number(end - start) });
    this.#next = end;
  }

  /** The end of a block. One of fixed length is cut at the end of a volume that is not whole blocks. */
  #end({ byteOffset, sizeBytes }: BlockMetadata, block: string): bigint {
    const size = BigInt(this.#list.sizeBytes);
    const end = byteOffset + sizeBytes;
    const isFixed = this.#type === BlockMetadataType.FIXED_LENGTH;
    if (byteOffset >= size || (end > size && !isFixed))
      throw doubt('DELTA_BEYOND_END', `${block} of a volume of ${size} bytes`);
    if (!isFixed) return end;
    this.#blockBytes ??= sizeBytes;
    if (sizeBytes !== this.#blockBytes && !(sizeBytes < this.#blockBytes && end === size))
      throw doubt('DELTA_ANSWER_WRONG', `blocks of fixed length had ${this.#blockBytes} bytes, one has ${sizeBytes}`);
    return end > size ? size : end;
  }
}
