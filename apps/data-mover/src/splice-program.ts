import {
  type FoundChanges,
  findChanges,
  type StoredVolume,
  type VerifySettings,
  type VolumeToRead,
  verificationOf,
} from '@lateen/changed-blocks';
import type { Logger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import {
  type KeeperOptions,
  type OpenServerSession,
  openServerSession,
  type ServerSession,
  SessionKeeper,
  spliceFiles,
  spliceSnapshot,
  storedSnapshots,
} from '@lateen/repository-session';
import type {
  BlockChanges,
  BlockSplice,
  FileSplice,
  SplicedVolume,
  SpliceVolume,
  VolumeOfChanges,
} from '@lateen/uploader';

export interface SpliceOptions extends Omit<OpenServerSession, 'purpose'> {
  kube: KubeApi;
  /** What node-agent and the DataUpload say of the volume. */
  volume: Omit<VolumeToRead, 'sizeBytes' | 'isUsed' | 'hasFiles'>;
  verify: VerifySettings;
}

/** Uploads of one volume by its changes; `close` ends the repository server, if one runs. */
export interface VolumeSplice extends Pick<BlockSplice, 'splice'>, Pick<FileSplice, 'spliceFiles'> {
  changesOf(volume: VolumeOfChanges): Promise<FoundChanges & Pick<BlockChanges, 'chunksToVerify'>>;
  close(): Promise<void>;
}

/**
 * Finds the base of a volume and its changes, and makes the snapshot. Both look into the repository through one session: a server
 * takes most of a second to start. See {@link BlockSplice} for errors.
 */
export function volumeSplice(options: SpliceOptions): VolumeSplice {
  const { kube, clock, random, log, volume, verify } = options;
  let held: ServerSession | undefined;
  const session: KeeperOptions = {
    clock,
    random,
    open: async (signal) => {
      const left = held;
      held = undefined;
      if (left !== undefined && !left.over.aborted) return left;
      await left?.close();
      return await openServerSession({ ...options, purpose: `splicing ${volume.snapshot.name}` }, signal);
    },
    onLost: lostSession(log),
  };
  const close = async (): Promise<void> => {
    const left = held;
    held = undefined;
    await left?.close();
  };
  const stored = async (
    { source, splitter, hasFiles, sizeBytes }: VolumeOfChanges,
    signal: AbortSignal,
  ): Promise<StoredVolume> => {
    const keeper = new SessionKeeper(session);
    try {
      return await keeper.run(async (now) => {
        // For files, the splice reads the chunks of each file, whatever the policy is now.
        const cut = hasFiles ? fixedSplitter : (splitter ?? now.parameters.splitter);
        const snapshots = await storedSnapshots(now, source.path, signal);
        held = now;
        // How each of them is cut is not stored. The splice reads the chunks of its base itself.
        // A snapshot of files does not tell the size of its volume; the maps of its files do, and the upload compares that.
        const sized = hasFiles ? { sizeBytes } : {};
        return { splitter: cut, snapshots: snapshots.map((each) => ({ ...each, ...sized, splitter: cut })) };
      }, signal);
    } catch (error) {
      await keeper.close();
      throw error;
    }
  };
  return {
    changesOf: async (of) => {
      const { sizeBytes, isUsed, hasFiles, signal } = of;
      const ports = { kube, clock, random, log, stored: (stop: AbortSignal) => stored(of, stop) };
      const found = await findChanges(ports, { ...volume, sizeBytes, isUsed, hasFiles }, signal).catch(
        async (error: unknown) => {
          await close();
          throw error;
        },
      );
      if (found.kind === 'full') {
        // What is known of files is looked up next.
        if (!hasFiles) await close();
        return found;
      }
      log.info(foundFields(found), 'only what has changed since the base snapshot is read');
      return { ...found, chunksToVerify: verificationOf(verify, { ...found, sizeBytes }, random) };
    },
    spliceFiles: async (request) => await spliceFiles(session, request),
    splice: async (request: SpliceVolume): Promise<SplicedVolume> => await spliceSnapshot(session, request),
    close,
  };
}

/** Logs each session that was lost. */
export const lostSession =
  (log: Logger) =>
  (error: unknown): void =>
    log.warn({ err: error }, 'the session with the repository server was lost; another one is begun');

const fixedSplitter = 'FIXED-4M';

const foundFields = ({ baseID, changed }: Extract<FoundChanges, { kind: 'changes' }>) => ({
  baseID,
  ranges: changed.count,
  changedBytes: changed.bytes,
});
