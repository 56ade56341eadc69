import type { MetadataAnswer, MetadataConnection } from '@lateen/changed-blocks';
import { AppError } from '@lateen/errors';
import { type AnswerKind, driverAnswers } from './driver-answers.ts';
import type { StorageSnapshot } from './storage.ts';
import type { UploadWorld } from './upload-world.ts';

/** How the driver answers one upload. */
export interface DriverFate {
  readonly target: StorageSnapshot;
  /** Asked for changes. */
  readonly changed: AnswerKind;
  /** Asked for blocks that have data. */
  readonly allocated: AnswerKind;
  /** Whether all blocks of the answer have the same length. */
  readonly isFixed: boolean;
}

type Answers = Iterable<MetadataAnswer>;

/** Replaces the answers to one question, for a planted defect. */
export type Retell = (question: 'changed' | 'allocated', answers: Answers, sizeBytes: number) => Answers;

/** The sidecar of the driver, without a network. */
export function driverConnection(world: UploadWorld, fate: DriverFate, retell?: Retell): MetadataConnection {
  const { storage, dice } = world;
  const { target, isFixed } = fate;
  const streams = { changed: 0, allocated: 0 };
  async function* answer(
    question: 'changed' | 'allocated',
    base: StorageSnapshot | undefined,
    from: bigint,
  ): AsyncGenerator<MetadataAnswer & { blockMetadata: never[] }> {
    streams[question] += 1;
    const isResumed = streams[question] > 1 && fate[question] === 'interrupted';
    const kind = isResumed ? 'correct' : fate[question];
    const answers = driverAnswers(dice, kind, { base, target, from, isFixed });
    const told = retell?.(question, answers, target.content.length) ?? answers;
    yield* told as Iterable<MetadataAnswer & { blockMetadata: never[] }>;
  }
  return {
    getMetadataAllocated: ({ startingOffset }) => answer('allocated', undefined, startingOffset),
    getMetadataDelta: ({ baseSnapshotId, startingOffset }) => {
      const base = storage.snapshot(baseSnapshotId);
      if (base === undefined) throw new AppError('NOT_FOUND', `there is no snapshot ${baseSnapshotId}`);
      return answer('changed', base, startingOffset);
    },
    certificateProblem: async () => undefined,
    [Symbol.dispose]: () => {},
  };
}
