import { lstat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { AttributeRecord, ManifestEnd, SpecialRecord } from './attribute-record.ts';
import { deviceNumbers } from './device-numbers.ts';
import { type FoundEntry, parseFoundEntry } from './found-entry.ts';
import { foldersToKeep, notKeptByKopia, oddlyNamed } from './found-tests.ts';
import { InodeGroups } from './inode-groups.ts';
import { OddNames } from './odd-names.ts';
import { find, rootOf, type ScanOptions, type Sorting, scan, sorted } from './scan-programs.ts';
import { XattrLines } from './xattr-lines.ts';

/**
 * Lists what kopia does not keep of a directory, in constant memory: special files and links, then the names of one file side by
 * side, then extended attributes, then names that kopia changes, and folders last (every write inside a folder changes its time).
 * @throws UPLOADER_SOURCE_UNREADABLE, UPLOADER_NAME_NOT_KEPT, SCAN_BAD_ANSWER, ENGINE_KILLED; the signal's reason on abort
 */
export async function scanAttributes(options: ScanOptions): Promise<ManifestEnd> {
  const end: ManifestEnd = { records: 0, sockets: 0 };
  const onRecord = (record: AttributeRecord) => {
    end.records++;
    return options.onRecord(record);
  };
  const over = new AbortController();
  const counting: ScanOptions = { ...options, onRecord, signal: AbortSignal.any([options.signal, over.signal]) };
  // All programs start at once, which is faster for small trees; early results wait in pipes, and block their program meanwhile.
  const isFound = Promise.withResolvers<void>();
  const names = new OddNames({ ...counting, onRecord: after(isFound.promise, onRecord) });
  const special = scanSpecialFiles(counting, names, () => end.sockets++);
  const xattrs = scanXattrs({ ...counting, onRecord: after(special, onRecord) });
  const found = Promise.all([special, xattrs]);
  found.then(() => isFound.resolve(), isFound.reject);
  // The rejection matters only where there is a name to report.
  isFound.promise.catch(() => {});
  const named = special.then(() => names.finish());
  const earlier = Promise.all([found, named]);
  const all = [earlier, scanFolders({ ...counting, onRecord: after(earlier, onRecord) })];
  try {
    await Promise.all(all);
  } catch (error) {
    over.abort(error);
    await Promise.allSettled([special, xattrs, named, ...all]);
    throw error;
  }
  return end;
}

/** As above, but passes nothing on before `earlier` is complete; rejects when `earlier` does. */
function after(earlier: Promise<unknown>, onRecord: ScanOptions['onRecord']): ScanOptions['onRecord'] {
  let isOver = false;
  return (record) => {
    if (isOver) return onRecord(record);
    return earlier.then(() => {
      isOver = true;
      return onRecord(record);
    });
  };
}

async function scanFolders(options: ScanOptions): Promise<void> {
  let seesRoot = false;
  await find(options, foldersToKeep(rootOf(options)), (entry) => {
    seesRoot ||= entry.path === '';
    return options.onRecord({ ...inodeOf(entry), type: 'directory' });
  });
  if (!seesRoot) throw new AppError('UPLOADER_SOURCE_UNREADABLE', `there is no folder at ${options.volumePath}`);
}

async function scanSpecialFiles(options: ScanOptions, names: OddNames, onSocket: () => void): Promise<void> {
  const { onRecord, volumePath } = options;
  let inodes: Sorting | undefined;
  const tell = (record: SpecialRecord | undefined) => (record === undefined ? undefined : onRecord(record));
  try {
    await find(options, ['(', ...notKeptByKopia, '-o', ...oddlyNamed, ')'], async (entry, item) => {
      if (entry.type === 's') return onSocket();
      await names.take(entry.path);
      // find printed this entry only because of its name.
      if (entry.type === 'd' || (entry.type === 'f' && entry.links === 1)) return;
      if (entry.links === 1) return tell(await specialRecord(entry, volumePath));
      inodes ??= sortInodes(options);
      return inodes.input.write(Buffer.from(`${item}\0`, 'latin1'));
    });
    inodes?.input.end();
  } catch (error) {
    inodes?.input.fail(error);
    await inodes?.done.catch(() => {});
    await names.fail(error);
    throw error;
  }
  await inodes?.done;
}

/** Groups the names of one inode, which may be anywhere in the tree and many. */
function sortInodes(options: ScanOptions): Sorting {
  const { onRecord, volumePath } = options;
  const groups = new InodeGroups();
  const emit = async (settled: ReturnType<InodeGroups['take']>): Promise<void> => {
    for (const { entry, group } of settled) {
      const record = entry.type === 'f' ? undefined : await specialRecord(entry, volumePath);
      if (record !== undefined) await onRecord({ ...record, group });
      // A single name: the other names are outside of the tree.
      else if (entry.type === 'f' && group !== undefined) await onRecord({ type: 'file', path: entry.path, group });
    }
  };
  const { input, done } = sorted(options, (item) => emit(groups.take(parseFoundEntry(item))));
  const all = done.then(() => emit(groups.end()));
  all.catch(() => {});
  return { input, done: all };
}

async function scanXattrs(options: ScanOptions): Promise<void> {
  const root = Buffer.from(rootOf(options)).toString('latin1');
  const lines = new XattrLines(root);
  await scan(options, {
    program: 'getfattr',
    args: ['-R', '-P', '-h', '-d', '-m', '-', '-e', 'base64', '--absolute-names', rootOf(options)],
    separator: '\n',
    onItem: (line) => {
      const record = lines.take(line);
      return record === undefined ? undefined : options.onRecord(record);
    },
  });
}

/** Undefined for an entry that was removed after it was found. */
async function specialRecord(entry: FoundEntry, volumePath: string): Promise<SpecialRecord | undefined> {
  const inode = inodeOf(entry);
  switch (entry.type) {
    case 'l':
      return { ...inode, type: 'symlink', target: entry.target };
    case 'p':
      return { ...inode, type: 'fifo' };
    case 'c':
    case 'b': {
      const path = Buffer.concat([Buffer.from(`${volumePath}/`), Buffer.from(entry.path, 'latin1')]);
      const found = await lstat(path).catch(unlessGone);
      if (found === undefined) return undefined;
      const { rdev } = found;
      const type = entry.type === 'c' ? 'character-device' : 'block-device';
      return { ...inode, type, ...deviceNumbers(rdev) };
    }
    default:
      throw new AppError('SCAN_BAD_ANSWER', `find printed an entry of type ${JSON.stringify(entry.type)}`);
  }
}

const inodeOf = ({ path, mode, uid, gid, mtime }: FoundEntry) => ({ path, mode, uid, gid, mtime });

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
