import { AppError } from '@lateen/errors';
import type { Random } from '@lateen/kernel';
import { type ChunkRun, chunksIn, fixedChunks, unchangedChunks } from '@lateen/kopia-format';
import type { ByteRange } from '../ranges/range-list.ts';

/** How increments are checked. */
export interface VerifySettings {
  /** Each nth increment is checked; 0: none. */
  readonly every: number;
  /** Percent of the unchanged chunks that are read and compared with what is stored. */
  readonly sharePercent: number;
}

/**
 * By default each 7th increment is checked, 2 % of its unchanged chunks: of a difference in one chunk of 100, such a check of 1,000 chunks
 * misses all with a chance of 82 %, of one in ten with a chance of 12 %.
 */
export const verifySettingsDefault: VerifySettings = { every: 7, sharePercent: 2 };

const keys = { every: 'VerifyEvery', sharePercent: 'VerifySharePercent' } as const;

/** The settings in a `dataMoverConfig`. @throws AppError `MOVER_CONFIG_INVALID` naming the key */
export function readVerifySettings(config: Readonly<Record<string, string>> | null | undefined): VerifySettings {
  const read = (name: keyof typeof keys, max: number): number => {
    const text = config?.[keys[name]];
    if (text === undefined) return verifySettingsDefault[name];
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value <= max) return value;
    throw new AppError('MOVER_CONFIG_INVALID', `dataMoverConfig ${keys[name]} is ${JSON.stringify(text)}`, {
      nextStep: `Write a whole number from 0 to ${max}; 0 turns the check off.`,
    });
  };
  return { every: read('every', 1_000_000), sharePercent: read('sharePercent', 100) };
}

/** Whether an increment is checked, by how many there were since the last check or full read. Pure. */
export function isVerified({ every, sharePercent }: VerifySettings, incrementsSinceCheck: number): boolean {
  return every > 0 && sharePercent > 0 && incrementsSinceCheck + 1 >= every;
}

/**
 * Chunks to be checked, in ascending order: a share of the unchanged ones, at least one if there is any. Each set of that size is equally
 * likely. Holds nothing, so a volume may have any number of chunks.
 */
export function* chunksToVerify(
  unchanged: readonly ChunkRun[],
  { sharePercent }: Pick<VerifySettings, 'sharePercent'>,
  random: Pick<Random, 'next'>,
): Generator<number> {
  let left = chunksIn(unchanged);
  let wanted = Math.ceil((left * sharePercent) / 100);
  for (const { first, end } of unchanged) {
    for (let chunk = first; chunk < end && wanted > 0; chunk++) {
      // Of the chunks that are left, `wanted` are still to be taken.
      if (random.next() * left < wanted) {
        wanted -= 1;
        yield chunk;
      }
      left -= 1;
    }
  }
}

/** What a splice reads of a volume. */
export interface ChangedVolume {
  readonly changed: Iterable<ByteRange>;
  readonly sizeBytes: number;
  readonly chunkBytes: number;
}

/** Which unchanged chunks an increment compares with its base, by how many increments there were since the last check: for `spliceSnapshot`. */
export function verificationOf(
  settings: VerifySettings,
  { changed, ...layout }: ChangedVolume,
  random: Pick<Random, 'next'>,
): (incrementsSinceCheck: number) => Iterable<number> {
  return (incrementsSinceCheck) => {
    if (!isVerified(settings, incrementsSinceCheck)) return [];
    return chunksToVerify([...unchangedChunks(fixedChunks(changed, layout.chunkBytes), layout)], settings, random);
  };
}
