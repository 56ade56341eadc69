import {
  type FindChangesPorts,
  findChanges,
  type MetadataConnection,
  type VerifySettings,
  type VolumeToRead,
  verificationOf,
} from '@lateen/changed-blocks';
import { AppError, isAppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { fixedChunks } from '@lateen/kopia-format';
import type { KubeApi } from '@lateen/kube';
import type { EngineExit, KopiaSession } from '@lateen/repository';
import { SessionKeeper, spliceSnapshot, storedSnapshots } from '@lateen/repository-session';
import type { BlockSplice } from '@lateen/uploader';
import { type DriverFate, driverConnection, type Retell } from './driver-connection.ts';
import { agent, claim, driver, location, namespace, type UploadWorld } from './upload-world.ts';

/** The circumstances of one upload. */
export interface UploadFate extends DriverFate {
  readonly hasService: boolean;
  readonly verify: VerifySettings;
  /** Whether a full read leaves out what has no data. */
  readonly skipsUnused: boolean;
  /** kopia's own process is killed. */
  readonly isEngineKilled: boolean;
}

/** Replaces a part of the composition by a defect, to show that the simulation finds it. */
export interface PlantedBug {
  /** The API server that the upload asks. */
  kube?: (world: UploadWorld, fate: UploadFate) => KubeApi;
  retell?: Retell;
  connect?: (whole: MetadataConnection, world: UploadWorld) => MetadataConnection;
  /** How the driver answers which blocks have data; overrides that of the seed. */
  allocated?: DriverFate['allocated'];
  splice?: typeof spliceSnapshot;
  /** Settings that override those of the seed. */
  verify?: VerifySettings;
}

/** Of a driver that has no SnapshotMetadataService. */
const otherDriver = 'csi.other';

/** An upload that reads changed blocks, composed as in `volumeSplice` of the data mover, over API server, repository and driver in memory. */
export function blockSplice(world: UploadWorld, fate: UploadFate, bug: PlantedBug): BlockSplice {
  const { clock, repository, dice } = world;
  const { random } = dice;
  const keeping = { clock, random, open: repository.open };
  const volume: Omit<VolumeToRead, 'sizeBytes' | 'isUsed' | 'skipsUnused'> = {
    snapshot: { namespace, name: fate.target.handle },
    serviceAccount: { namespace, name: agent },
    driver: fate.hasService ? driver : otherDriver,
    volumeHandle: fate.target.volumeHandle,
    claimUid: claim.uid,
    backupStorageLocation: location,
    parentSnapshot: undefined,
  };
  return {
    changesOf: async ({ source, sizeBytes, splitter, isUsed, skipsUnused, signal }) => {
      const connection = driverConnection(world, fate, bug.retell);
      const ports: FindChangesPorts = {
        clock,
        random,
        log: silentLogger,
        kube: bug.kube?.(world, fate) ?? world.cluster,
        connect: () => bug.connect?.(connection, world) ?? connection,
        stored: async (stop) => {
          const keeper = new SessionKeeper(keeping);
          try {
            const stored = await keeper.run((session) => storedSnapshots(session, source.path, stop), stop);
            const cut = splitter ?? 'FIXED-4M';
            return { splitter: cut, snapshots: stored.map((each) => ({ ...each, splitter: cut })) };
          } finally {
            await keeper.close();
          }
        },
      };
      const found = await findChanges(ports, { ...volume, sizeBytes, isUsed, skipsUnused }, signal);
      if (found.kind === 'full') {
        const { allocated } = found;
        world.note(`  ${allocated === undefined ? 'nobody says which' : `${allocated.bytes}`} bytes have data`);
        if (allocated !== undefined) world.ends.push('unused blocks are left out');
        return found;
      }
      const { changed, chunkBytes } = found;
      const chunksToVerify = verificationOf(bug.verify ?? fate.verify, { changed, sizeBytes, chunkBytes }, random);
      world.note(
        `  ${changed.bytes} bytes in ${[...fixedChunks(changed, chunkBytes)].length} runs of chunks have changed`,
      );
      return { ...found, chunksToVerify };
    },
    splice: (request) =>
      (bug.splice ?? spliceSnapshot)({ ...keeping, checkpointBytes: dice.between(1, 6) * 1024 }, request),
  };
}

const codeOf = (error: unknown): string => {
  if (!isAppError(error)) throw error;
  return error.code;
};

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
      if (command === 'policy show') {
        // The mark that a source has been uploaded to stays.
        const scheduling = { manual: world.expected.size > 0 || repository.manifests.size > 0 };
        return exit({ stdout: JSON.stringify({ scheduling, splitter: { algorithm: splitter } }) });
      }
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
