import { clientIdentity, type LargeFile } from '@lateen/repository';

/** A file of a checkpoint, and its object. */
export interface CheckpointFile extends LargeFile {
  objectId: string;
}

/** Of what a folder has below it. */
interface Summary {
  size: number;
  files: number;
  dirs: number;
}

/** Why a snapshot is incomplete, as kopia says it of the ones that it makes on the way (snapshotfs/upload.go, IncompleteReasonCheckpoint). */
const incomplete = 'checkpoint';

/** Go's bits of a mode for the three of Unix above the permissions (io/fs, FileMode). */
const goBits = [
  [0o4000, 2 ** 23],
  [0o2000, 2 ** 22],
  [0o1000, 2 ** 20],
] as const;

const modeText = (mode: number): string =>
  `0${goBits.reduce((sum, [bit, go]) => ((mode & bit) === 0 ? sum : sum + go), mode & 0o777).toString(8)}`;

/** RFC 3339 with nanoseconds, without zeros at the end, as Go prints a time. */
export function timeTextNs(ns: bigint): string {
  const second = 1_000_000_000n;
  const fraction = ((ns % second) + second) % second;
  const text = new Date(Number((ns - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  const digits = String(fraction).padStart(9, '0').replace(/0+$/, '');
  return `${text}${digits === '' ? '' : `.${digits}`}Z`;
}

const summaryText = ({ size, files, dirs }: Summary, time: string) => ({
  size,
  files,
  symlinks: 0,
  dirs,
  maxTime: time,
  incomplete,
  numFailed: 0,
});

/** The entry of a folder. */
interface FolderEntryText {
  name: string;
  type: 'd';
  mode: string;
  mtime: string;
  obj: string;
  summ: object;
}

/** Stores the bytes of a folder and returns its object ID. */
export type WriteFolder = (text: string) => Promise<string>;

/**
 * Writes the folders on the way to the files, with nothing else in them, and returns the entry of the root folder. kopia looks into
 * such a tree beside that of the last snapshot (`incomplete` snapshots are what it makes on the way), so it need not have
 * all files.
 */
export async function writeCheckpointTree(
  files: readonly CheckpointFile[],
  time: string,
  write: WriteFolder,
): Promise<FolderEntryText> {
  return (await folderOf('', files, time, write)).entry;
}

async function folderOf(
  name: string,
  files: readonly CheckpointFile[],
  time: string,
  write: WriteFolder,
): Promise<{ entry: FolderEntryText; sum: Summary }> {
  const below = new Map<string, CheckpointFile[]>();
  const own: object[] = [];
  const sum: Summary = { size: 0, files: 0, dirs: 1 };
  for (const file of [...files].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))) {
    const slash = file.path.indexOf('/');
    if (slash >= 0) {
      const inner = { ...file, path: file.path.slice(slash + 1) };
      const folder = file.path.slice(0, slash);
      below.set(folder, [...(below.get(folder) ?? []), inner]);
      continue;
    }
    own.push(fileEntry(file));
    sum.size += file.sizeBytes;
    sum.files += 1;
  }
  const folders: object[] = [];
  for (const [inner, itsFiles] of below) {
    const { entry, sum: its } = await folderOf(inner, itsFiles, time, write);
    folders.push(entry);
    sum.size += its.size;
    sum.files += its.files;
    sum.dirs += its.dirs;
  }
  const summary = summaryText(sum, time);
  const text = `${JSON.stringify({ stream: 'kopia:directory', entries: [...folders, ...own], summary })}\n`;
  return { entry: { name, type: 'd', mode: '0755', mtime: time, obj: await write(text), summ: summary }, sum };
}

const fileEntry = ({ path, mode, sizeBytes, mtimeNs, uid, gid, objectId }: CheckpointFile): object => ({
  name: path,
  type: 'f',
  mode: modeText(mode),
  size: sizeBytes,
  mtime: timeTextNs(mtimeNs),
  ...(uid === 0 ? {} : { uid }),
  ...(gid === 0 ? {} : { gid }),
  obj: objectId,
});

/** The manifest of a checkpoint. It has no tags: Velero does not look for it, and kopia's clean-up after the next snapshot deletes it. */
export function checkpointManifest(
  path: string,
  rootEntry: object,
  { startMs, endMs }: { startMs: number; endMs: number },
): string {
  const { username: userName, hostname: host } = clientIdentity;
  return JSON.stringify({
    id: '',
    source: { host, userName, path },
    description: 'Kopia Uploader',
    startTime: new Date(startMs).toISOString(),
    endTime: new Date(endMs).toISOString(),
    incomplete,
    rootEntry,
  });
}
