import {
  type BaseSnapshot,
  decideRead,
  doubtReason,
  MetadataChecker,
  type RangeList,
  type ReadFacts,
  type VerifySettings,
  verificationOf,
} from '@lateen/changed-blocks';
import { AppError, isAppError } from '@lateen/errors';
import { fixedChunks } from '@lateen/kopia-format';
import type { EngineExit, KopiaSession } from '@lateen/repository';
import { SessionKeeper, spliceSnapshot, storedSnapshots } from '@lateen/repository-session';
import type { BlockSplice } from '@lateen/uploader';
import { type AnswerKind, driverAnswers } from './driver-answers.ts';
import type { StorageSnapshot } from './storage.ts';
import { driver, location, type UploadWorld } from './upload-world.ts';

/** The circumstances of one upload. */
export interface UploadFate {
  readonly target: StorageSnapshot;
  readonly answer: AnswerKind;
  /** Whether all blocks of the answer have the same length. */
  readonly isFixed: boolean;
  readonly hasService: boolean;
  readonly verify: VerifySettings;
  /** kopia's own process is killed. */
  readonly isEngineKilled: boolean;
}

/** Replaces a part of the composition by a defect, to show that the simulation finds it. */
export interface PlantedBug {
  decide?: (facts: ReadFacts) => ReturnType<typeof decideRead>;
  checker?: (...of: ConstructorParameters<typeof MetadataChecker>) => MetadataChecker;
  splice?: typeof spliceSnapshot;
  /** Settings that override those of the seed. */
  verify?: VerifySettings;
}

const streamsMax = 4;

/** An upload that reads changed blocks, composed as in `volumeSplice` of the data mover, over repository and driver in memory. */
export function blockSplice(world: UploadWorld, fate: UploadFate, bug: PlantedBug): BlockSplice {
  const { clock, repository, dice } = world;
  const keeping = { clock, random: dice.random, open: repository.open };
  return {
    changesOf: async ({ source, sizeBytes, splitter, signal }) => {
      const keeper = new SessionKeeper(keeping);
      try {
        const stored = await keeper.run((session) => storedSnapshots(session, source.path, signal), signal);
        const cut = splitter ?? 'FIXED-4M';
        const facts: ReadFacts = {
          parentSnapshot: undefined,
          stored: stored.map((each) => ({ ...each, splitter: cut })),
          bases: world.bases.filter(({ isReady }) => isReady),
          target: { driver, volumeHandle: fate.target.volumeHandle, sizeBytes, backupStorageLocation: location },
          splitter: cut,
          hasService: fate.hasService,
        };
        const decision = (bug.decide ?? decideRead)(facts);
        if (decision.kind === 'full') return decision;
        const { base, parent, chunkBytes } = decision;
        const changed = readChanges(world, fate, { base, chunkBytes, sizeBytes }, bug);
        const settings = bug.verify ?? fate.verify;
        const chunksToVerify = verificationOf(settings, { changed, sizeBytes, chunkBytes }, dice.random);
        world.note(
          `  ${changed.bytes} bytes in ${[...fixedChunks(changed, chunkBytes)].length} runs of chunks have changed`,
        );
        return { kind: 'changes', baseID: parent.snapshotID, chunkBytes, changed, chunksToVerify };
      } catch (error) {
        return { kind: 'full', reason: doubtReason(error) ?? codeOf(error) };
      } finally {
        await keeper.close();
      }
    },
    splice: (volume) =>
      (bug.splice ?? spliceSnapshot)({ ...keeping, checkpointBytes: dice.between(1, 6) * 1024 }, volume),
  };
}

const codeOf = (error: unknown): string => {
  if (!isAppError(error)) throw error;
  return error.code;
};

/** Like `readChangedRanges`: an interrupted stream continues where it was interrupted. */
function readChanges(
  { storage, dice }: UploadWorld,
  { target, answer, isFixed }: UploadFate,
  { base, chunkBytes, sizeBytes }: { base: BaseSnapshot; chunkBytes: number; sizeBytes: number },
  bug: PlantedBug,
): RangeList {
  const from = storage.snapshot(base.snapshotHandle);
  if (from === undefined) throw new AppError('DELTA_BASE_GONE', 'base snapshot gone');
  const limits = { sizeBytes, chunkBytes, rangesMax: dice.pick([2, 5, 2 ** 21]) };
  const checker = bug.checker?.(limits) ?? new MetadataChecker(limits);
  for (let streams = 1; ; streams++) {
    const offset = checker.begin();
    try {
      const kind = streams > 1 && answer === 'interrupted' ? 'correct' : answer;
      for (const message of driverAnswers(dice, kind, { base: from, target, from: offset, isFixed }))
        checker.take(message);
      return checker.finished();
    } catch (error) {
      if (!isAppError(error, 'UNAVAILABLE') || streams >= streamsMax) throw error;
    }
  }
}

/** kopia's command line over the repository in memory, as far as uploads of block volumes use it. */
export function commandLine(world: UploadWorld, fate: UploadFate): KopiaSession {
  const { repository, source, splitter, clock } = world;
  const exit = (more: Partial<EngineExit>): EngineExit => ({
    exitCode: 0,
    endedBy: undefined,
    stdout: '',
    stderr: '',
    aborted: false,
    ...more,
  });
  return {
    storage: { type: 's3', config: {} },
    where: 'bucket "b"',
    redact: (text) => text,
    failure: ({ stderr }, doing) => new AppError('ENGINE_FAILED', `${doing}: ${stderr}`),
    close: async () => {},
    run: async (args, options = {}) => {
      const command = args.slice(0, 2).join(' ');
      if (command === 'policy show')
        return exit({ stdout: JSON.stringify({ scheduling: { manual: true }, splitter: { algorithm: splitter } }) });
      if (command !== 'snapshot create') throw new Error(`kopia is not expected to ${args.join(' ')}`);
      const pieces: Buffer[] = [];
      for await (const piece of options.stdin as AsyncIterable<Uint8Array>) pieces.push(Buffer.from(piece));
      if (fate.isEngineKilled) return exit({ exitCode: 1, stderr: 'killed' });
      const volume = Buffer.concat(pieces);
      try {
        const fileName = args[2] ?? '';
        const id = await repository.takeWhole(volume, {
          source,
          chunkBytes: world.chunkBytes,
          startMs: clock.now(),
          fileName,
        });
        return exit({ stdout: JSON.stringify({ id, stats: { totalSize: volume.length } }) });
      } catch (error) {
        return exit({ exitCode: 1, stderr: codeOf(error) });
      }
    },
  };
}
