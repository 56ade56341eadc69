import {
  type ChangedRangesPorts,
  doesNotApply,
  type FoundChanges,
  findChanges,
  type StoredSnapshot,
  type StoredVolume,
  type VerifySettings,
  type VolumeToRead,
  verificationOf,
} from '@lateen/changed-blocks';
import type { Logger } from '@lateen/kernel';
import {
  heldSession,
  type KeeperOptions,
  type ServerSession,
  SessionKeeper,
  type StoredSnapshotFacts,
  spliceFiles,
  spliceSnapshot,
  storedSnapshots,
} from '@lateen/repository-session';
import type { BlockSplice, BlockVolumeOfChanges, FileSplice, VolumeOfChanges } from '@lateen/uploader';

export interface SpliceOptions extends ChangedRangesPorts {
  /** Begins a session with the repository. */
  openSession(signal: AbortSignal): Promise<ServerSession>;
  /** What node-agent and the DataUpload say of the volume. */
  volume: Omit<VolumeToRead, 'sizeBytes' | 'isUsed' | 'skipsUnused'>;
  verify: VerifySettings;
}

/** Uploads of one volume by its changes, as blocks or as files; `close` ends the repository server, if one runs. */
export interface VolumeSplice {
  blocks: BlockSplice;
  files: FileSplice;
  close(): Promise<void>;
}

/**
 * Finds the base of a volume and its changes, and makes the snapshot. Both look into the repository through one session: a server
 * takes most of a second to start. See {@link BlockSplice} for errors.
 */
export function volumeSplice(options: SpliceOptions): VolumeSplice {
  const { clock, random, log, verify } = options;
  const sessions = heldSession(options.openSession);
  const session: KeeperOptions = { clock, random, open: sessions.take, onLost: lostSession(log) };
  const found = async (
    of: VolumeOfChanges & Pick<VolumeToRead, 'isUsed' | 'skipsUnused'>,
    cut: SplitterOf,
  ): Promise<FoundChanges> => {
    const { source, sizeBytes, isUsed, skipsUnused, signal } = of;
    const stored = (stop: AbortSignal) => storedVolume(session, { path: source.path, cut, keep: sessions.keep }, stop);
    const ports = { ...options, stored };
    try {
      const changes = await findChanges(ports, { ...options.volume, sizeBytes, isUsed, skipsUnused }, signal);
      if (changes.kind === 'changes')
        log.info(foundFields(changes), 'only what has changed since the base snapshot is read');
      return changes;
    } catch (error) {
      await sessions.close();
      throw error;
    }
  };
  return {
    blocks: {
      changesOf: async (of: BlockVolumeOfChanges) => {
        const { sizeBytes } = of;
        const changes = await found(of, ({ parameters }) => of.splitter ?? parameters.splitter);
        if (changes.kind === 'changes')
          return { ...changes, chunksToVerify: verificationOf(verify, { ...changes, sizeBytes }, random) };
        await sessions.close();
        return changes;
      },
      splice: async (request) => await spliceSnapshot(session, request),
    },
    files: {
      // The session stays: which files the engine knows is looked up next, whatever is read.
      changesOf: async (of) => await found({ ...of, isUsed: undefined, skipsUnused: false }, () => doesNotApply),
      spliceFiles: async (request) => await spliceFiles(session, request),
      begin: sessions.begin,
    },
    close: sessions.close,
  };
}

/** How chunks of the source are cut now. */
type SplitterOf = (session: ServerSession) => StoredVolume['splitter'];

/** What the repository has of a source. How each snapshot is cut is not stored; the splice reads the chunks of its base itself. */
async function storedVolume(
  options: KeeperOptions,
  { path, cut, keep }: { path: string; cut: SplitterOf; keep(session: ServerSession): void },
  signal: AbortSignal,
): Promise<StoredVolume> {
  const keeper = new SessionKeeper(options);
  try {
    return await keeper.run(async (session) => {
      const splitter = cut(session);
      const snapshots = await storedSnapshots(session, path, signal);
      keep(session);
      // A snapshot of files does not tell the size of its volume; the maps of its files do, and the upload compares that.
      const sizeOf = ({ sizeBytes }: StoredSnapshotFacts): StoredSnapshot['sizeBytes'] =>
        splitter === doesNotApply ? splitter : sizeBytes;
      return { splitter, snapshots: snapshots.map((each) => ({ ...each, sizeBytes: sizeOf(each), splitter })) };
    }, signal);
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

/** Logs each session that was lost. */
export const lostSession =
  (log: Logger) =>
  (error: unknown): void =>
    log.warn({ err: error }, 'the session with the repository server was lost; another one is begun');

const foundFields = ({ baseID, changed }: Extract<FoundChanges, { kind: 'changes' }>) => ({
  baseID,
  ranges: changed.count,
  changedBytes: changed.bytes,
});
