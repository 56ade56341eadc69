import { BlockMetadataType, type MetadataAnswer } from '@lateen/changed-blocks';
import { AppError } from '@lateen/errors';
import type { Dice } from '../simulation/dice.ts';
import { blockBytes, differingBlocks, differingRanges, type StorageSnapshot } from './storage.ts';

/** What a driver answers: the truth, or one of the defects. */
export const answerKinds = [
  'correct',
  'widened',
  'interrupted',
  'given up',
  'out of order',
  'overlapping',
  'beyond the end',
  'of another volume',
  'empty blocks',
  'no message',
  /** Blocks are missing and everything looks right: only a verification finds missing changes, only a restore missing data. */
  'lying',
] as const;
export type AnswerKind = (typeof answerKinds)[number];

type Block = MetadataAnswer['blockMetadata'][number];

/** What is asked: which blocks have changed since `base`, or have data if there is none. */
export interface DriverQuestion {
  base: StorageSnapshot | undefined;
  target: StorageSnapshot;
  from: bigint;
  isFixed: boolean;
}

/** The stream is interrupted and can be continued. */
export const interruption = (): AppError =>
  new AppError('UNAVAILABLE', 'the stream was interrupted', { retry: 'soon' });

/**
 * Messages of GetMetadataDelta or GetMetadataAllocated from an offset on, as a driver of this kind sends them.
 * @throws an interruption for the kinds `interrupted` and `given up`
 */
export function* driverAnswers(dice: Dice, kind: AnswerKind, question: DriverQuestion): Generator<MetadataAnswer> {
  const { target, from, isFixed } = question;
  const sizeBytes = target.content.length;
  const isExact = !isFixed && kind === 'correct';
  const truth = isExact ? exactRanges(question) : blocksOf(dice, kind, question);
  const blocks = wrongly(dice, kind, truth, sizeBytes);
  const rest = blocks.filter(({ byteOffset, sizeBytes: size }) => byteOffset + size > from);
  if (kind === 'no message') return;
  const blockMetadataType = isFixed ? BlockMetadataType.FIXED_LENGTH : BlockMetadataType.VARIABLE_LENGTH;
  const volumeCapacityBytes = BigInt(sizeBytes + (kind === 'of another volume' ? blockBytes : 0));
  const perMessage = dice.between(1, 8);
  const breaksAt = kind === 'given up' || kind === 'interrupted' ? dice.between(0, rest.length) : Number.NaN;
  for (let at = 0; at <= rest.length; at += perMessage) {
    if (at >= breaksAt && (kind === 'given up' || dice.chance(0.5))) throw interruption();
    const blockMetadata = rest.slice(at, at + perMessage);
    yield { blockMetadataType, volumeCapacityBytes, blockMetadata };
  }
}

/** What a block without data holds. */
const nothing = ({ content }: StorageSnapshot): Buffer => Buffer.alloc(content.length);

/** A driver that gets the handle of another volume may answer anything: here, that nothing has changed. */
const isOfVolume = ({ base, target }: DriverQuestion): boolean =>
  base === undefined || base.volumeHandle === target.volumeHandle;

/** Drivers are allowed to report exactly the bytes that have changed, or are not zero. */
function exactRanges(question: DriverQuestion): Block[] {
  if (!isOfVolume(question)) return [];
  const { base, target } = question;
  return differingRanges(base?.content ?? nothing(target), target.content).map(({ offset, length }) => ({
    byteOffset: BigInt(offset),
    sizeBytes: BigInt(length),
  }));
}

/** With FIXED_LENGTH the last block may reach beyond the volume; here it is cut. */
function blocksOf(dice: Dice, kind: AnswerKind, question: DriverQuestion): Block[] {
  const { base, target } = question;
  const sizeBytes = target.content.length;
  const before = base?.content ?? nothing(target);
  const blocks = new Set(isOfVolume(question) ? differingBlocks(before, target.content) : []);
  if (kind === 'widened')
    for (let more = dice.between(1, 20); more > 0; more--)
      blocks.add(dice.between(0, Math.ceil(sizeBytes / blockBytes) - 1));
  if (kind === 'lying') for (const block of [...blocks]) if (dice.chance(0.5)) blocks.delete(block);
  return [...blocks]
    .sort((a, b) => a - b)
    .map((block) => ({
      byteOffset: BigInt(block * blockBytes),
      sizeBytes: BigInt(Math.min(blockBytes, sizeBytes - block * blockBytes)),
    }));
}

function wrongly(dice: Dice, kind: AnswerKind, blocks: Block[], sizeBytes: number): Block[] {
  const [first, second] = blocks;
  if (kind === 'beyond the end') return [...blocks, { byteOffset: BigInt(sizeBytes), sizeBytes: 1n }];
  if (kind === 'empty blocks') return [...blocks, { byteOffset: BigInt(sizeBytes - 1), sizeBytes: 0n }];
  if (first === undefined || second === undefined) return blocks;
  if (kind === 'overlapping') {
    const reaches = { ...first, sizeBytes: second.byteOffset - first.byteOffset + 1n };
    return [reaches, ...blocks.slice(1)];
  }
  if (kind !== 'out of order') return blocks;
  const at = dice.between(1, blocks.length - 1);
  return [...blocks.slice(at), ...blocks.slice(0, at)];
}
