import type {
  AttributeRecord,
  ByteText,
  DirectoryRecord,
  FileNameRecord,
  ManifestEnd,
  NameRecord,
  SpecialRecord,
  XattrRecord,
} from './attribute-record.ts';
import { GivenNames } from './given-names.ts';
import { archiveEnd, type PaxMember, paxMember } from './pax-member.ts';
import { type Complaints, ProgramSink } from './program-sink.ts';
import type { Programs } from './programs.ts';
import { readManifest } from './read-manifest.ts';
import { VolumeGuard } from './volume-guard.ts';
import { restoreFileLine, restoreXattrLine } from './xattr-lines.ts';

export interface ApplyOptions {
  programs: Programs;
  /** Absolute; holds what kopia has restored. */
  volumePath: string;
  signal: AbortSignal;
}

export interface Applied extends ManifestEnd {
  /**
   * Records whose entry is missing in the volume or has another type there: it was left out of the snapshot, or replaced before
   * it was read.
   */
  skipped: number;
  /** What could not be set or renamed, in the words of the programs. */
  complaints: Complaints;
}

type Stage = 'entries' | 'attributes' | 'folders';

const stageOf = (record: ToldRecord): Stage => {
  if (record.type === 'xattr') return 'attributes';
  return record.type === 'directory' ? 'folders' : 'entries';
};

/** The records that are passed to a program. */
type ToldRecord = Exclude<AttributeRecord, NameRecord>;

/**
 * Restores what kopia does not: creates links and special files, sets extended attributes, renames entries that kopia had to
 * rename, and finally sets the times of folders, which every earlier step changes. What the pod may not do (devices without
 * MKNOD, `trusted.*` without SYS_ADMIN) is counted and does not stop the rest. Safe to repeat.
 * @throws ATTRIBUTES_INVALID, ATTRIBUTES_VERSION, ATTRIBUTES_NOT_APPLIED, UPLOADER_VOLUME_FULL, UPLOADER_TARGET_NOT_WRITABLE; the
 * error of `manifest`; the signal's reason on abort
 */
export async function applyAttributes(
  options: ApplyOptions,
  manifest: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Applied> {
  const applier = new Applier(options);
  try {
    const end = await readManifest(manifest, (record) => applier.take(record));
    await applier.close();
    return { ...end, skipped: applier.skipped, complaints: applier.complaints };
  } catch (error) {
    await applier.abandon(error);
    throw error;
  }
}

class Applier {
  readonly complaints: Complaints = { count: 0, told: [] };
  skipped = 0;
  readonly #options: ApplyOptions;
  readonly #guard: VolumeGuard;
  readonly #names: GivenNames;
  #stage: { name: Stage; sink: ProgramSink } | undefined;
  /** The name to which the other names of its group are linked. */
  #leader: { group: number; path: ByteText } | undefined;
  #xattrsOf: ByteText | undefined;

  constructor(options: ApplyOptions) {
    this.#options = options;
    this.#guard = new VolumeGuard(options.volumePath);
    this.#names = new GivenNames(this.#guard, this.complaints);
  }

  async take(record: AttributeRecord): Promise<void> {
    return record.type === 'name' ? this.#name(record) : this.#tell({ ...record, path: this.#names.now(record.path) });
  }

  /** Runs after every stage that finds its entries by the names that kopia gave them. */
  async #name({ path }: NameRecord): Promise<void> {
    await this.close();
    if (!this.#names.giveBack(path)) this.skipped++;
  }

  async #tell(record: ToldRecord): Promise<void> {
    const sink = await this.#sinkOf(stageOf(record));
    const bytes = this.#bytesOf(record);
    if (bytes === undefined) this.skipped++;
    else if (bytes.length > 0) await sink.write(bytes);
  }

  async close(): Promise<void> {
    await this.#stage?.sink.close(this.#options.signal);
    this.#stage = undefined;
  }

  async abandon(cause: unknown): Promise<void> {
    await this.#stage?.sink.abandon(cause);
  }

  /** A stage is complete before the next begins, so that the next one sees its results. */
  async #sinkOf(name: Stage): Promise<ProgramSink> {
    if (this.#stage?.name === name) return this.#stage.sink;
    await this.close();
    const { programs, volumePath, signal } = this.#options;
    const run =
      name === 'attributes'
        ? { program: 'setfattr' as const, args: ['--no-dereference', '--restore=-'], signal }
        : { program: 'tar' as const, args: tarArgs(volumePath), signal, trailer: archiveEnd };
    const sink = new ProgramSink(programs, run, this.complaints);
    this.#stage = { name, sink };
    return sink;
  }

  /** The input for the program; undefined when the volume has no entry to which the record could apply. */
  #bytesOf(record: ToldRecord): Uint8Array | undefined {
    switch (record.type) {
      case 'directory':
        return this.#directory(record);
      case 'xattr':
        return this.#xattr(record);
      case 'file':
        return this.#fileName(record);
      default:
        return this.#special(record);
    }
  }

  #directory(record: DirectoryRecord): Uint8Array | undefined {
    if (this.#guard.look(record.path) !== 'directory') return undefined;
    return paxMember({ type: 'directory', inode: record });
  }

  #xattr(record: XattrRecord): Uint8Array | undefined {
    const kind = this.#guard.look(record.path);
    if (kind === 'missing' || kind === 'no folder') return undefined;
    const isSame = record.path === this.#xattrsOf;
    this.#xattrsOf = record.path;
    const file = isSame ? '' : `\n${restoreFileLine(this.#guard.absolute(record.path).toString('latin1'))}`;
    return Buffer.from(`${file}${restoreXattrLine(record)}`, 'latin1');
  }

  #fileName(record: FileNameRecord): Uint8Array | undefined {
    if (this.#guard.look(record.path) !== 'file') return undefined;
    const leader = this.#leader?.group === record.group ? this.#leader.path : undefined;
    // A file that was replaced between the scan of its names and the reading of its data is a separate file by now.
    if (leader !== undefined && !this.#guard.mayBeOneFile(leader, record.path)) return undefined;
    const link = this.#linkToLeader(record.path, record.group);
    return link ?? new Uint8Array();
  }

  #special(record: SpecialRecord): Uint8Array | undefined {
    const kind = this.#guard.look(record.path);
    // A folder is never replaced: paths that lead through it have been checked already. A missing link was left out of the
    // snapshot.
    if (kind === 'no folder' || kind === 'directory') return undefined;
    if (record.type === 'symlink' && kind !== 'symlink') return undefined;
    const link = record.group === undefined ? undefined : this.#linkToLeader(record.path, record.group);
    return link ?? paxMember(memberOf(record));
  }

  /** A link, or undefined for the first name of a group. */
  #linkToLeader(path: ByteText, group: number): Uint8Array | undefined {
    if (this.#leader?.group !== group) {
      this.#leader = { group, path };
      return undefined;
    }
    // tar gives a hard link no mode, owner or time of its own.
    const inode = { path, mode: 0, uid: 0, gid: 0, mtime: '0.000000000' };
    return paxMember({ type: 'hard link', inode, target: `./${this.#leader.path}` });
  }
}

/**
 * `-P`, because every path has been checked (VolumeGuard), and tar would otherwise create placeholders for absolute links and
 * keep all of them in memory.
 */
function tarArgs(volumePath: string): string[] {
  return [
    '--extract',
    '--file=-',
    `--directory=${volumePath}`,
    '--absolute-names',
    '--preserve-permissions',
    '--same-owner',
    '--numeric-owner',
    '--warning=no-timestamp',
  ];
}

function memberOf(record: SpecialRecord): PaxMember {
  switch (record.type) {
    case 'symlink':
      return { type: record.type, inode: record, target: record.target };
    case 'fifo':
      return { type: record.type, inode: record };
    case 'character-device':
    case 'block-device':
      return { type: record.type, inode: record, major: record.major, minor: record.minor };
  }
}
