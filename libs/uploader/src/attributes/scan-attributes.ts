import { isUtf8 } from 'node:buffer';
import { lstat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { type EngineExit, killedFailure } from '@lateen/repository';
import {
  type AttributeRecord,
  type ByteText,
  type ManifestEnd,
  manifestLineLengthMax,
  type SpecialRecord,
} from './attribute-record.ts';
import { ByteSplitter } from './byte-splitter.ts';
import { ChunkedInput } from './chunked-input.ts';
import { deviceNumbers } from './device-numbers.ts';
import { type FoundEntry, foundFormat, foundLengthMax, parseFoundEntry } from './found-entry.ts';
import { foldersToKeep, notKeptByKopia, oddlyNamed } from './found-tests.ts';
import { InodeGroups } from './inode-groups.ts';
import type { Program, Programs } from './programs.ts';
import { XattrLines } from './xattr-lines.ts';

export interface ScanOptions {
  programs: Programs;
  /** Absolute. */
  volumePath: string;
  /** Gets the records in the order in which a restore needs them; awaited, so that it sets the pace. */
  onRecord(record: AttributeRecord): Promise<void> | void;
  /** Told of each entry whose name is no UTF-8: kopia keeps it with other bytes, and of two that become equal only one. */
  onChangedName?(path: ByteText): void;
  signal: AbortSignal;
}

/** sort's memory; the rest is on disk. */
const sortMemory = '16M';

/** What happens to a file that goes while it is looked at, and on file systems without attributes. */
const harmlessComplaint = /: (No such file or directory|No data available|Operation not supported)\s*$/;

/** Complaints of a program that are told. */
const complaintsToldMax = 3;

/**
 * Lists what a snapshot of kopia lacks of a directory, in constant memory: special files and links, then names of one
 * file side by side, then extended attributes, and folders last (whatever is done inside one changes its time).
 * @throws UPLOADER_SOURCE_UNREADABLE, SCAN_BAD_ANSWER, ENGINE_KILLED; the signal's reason on abort
 */
export async function scanAttributes(options: ScanOptions): Promise<ManifestEnd> {
  const end: ManifestEnd = { records: 0, sockets: 0 };
  const onRecord = (record: AttributeRecord) => {
    end.records++;
    return options.onRecord(record);
  };
  const over = new AbortController();
  const counting: ScanOptions = { ...options, onRecord, signal: AbortSignal.any([options.signal, over.signal]) };
  // All start at once, for the sake of small trees; what is found early waits in pipes, and the program with it.
  const special = scanSpecialFiles(counting, () => end.sockets++);
  const xattrs = scanXattrs({ ...counting, onRecord: after(special, onRecord) });
  const earlier = Promise.all([special, xattrs]);
  const all = [earlier, scanFolders({ ...counting, onRecord: after(earlier, onRecord) })];
  try {
    await Promise.all(all);
  } catch (error) {
    over.abort(error);
    await Promise.allSettled([special, xattrs, ...all]);
    throw error;
  }
  return end;
}

/** The same, but nothing is handed on before `earlier` is over; rejects as that does. */
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

async function scanSpecialFiles(options: ScanOptions, onSocket: () => void): Promise<void> {
  const { onRecord, volumePath } = options;
  let names: ReturnType<typeof sortNames> | undefined;
  try {
    await find(options, ['(', ...notKeptByKopia, '-o', ...oddlyNamed, ')'], async (entry, item) => {
      if (!isUtf8(Buffer.from(entry.path, 'latin1'))) options.onChangedName?.(entry.path);
      // Here for its name only.
      if (entry.type === 'd' || (entry.type === 'f' && entry.links === 1)) return;
      if (entry.type === 's') return onSocket();
      if (entry.links === 1) return onRecord(await specialRecord(entry, volumePath));
      names ??= sortNames(options);
      return names.input.write(Buffer.from(`${item}\0`, 'latin1'));
    });
    names?.input.end();
  } catch (error) {
    names?.input.fail(error);
    await names?.done.catch(() => {});
    throw error;
  }
  await names?.done;
}

/** Brings the names of one inode together; they may be anywhere in the tree and be many. */
function sortNames(options: ScanOptions): { input: ChunkedInput; done: Promise<void> } {
  const { onRecord, volumePath } = options;
  const input = new ChunkedInput();
  const groups = new InodeGroups();
  const emit = async (settled: ReturnType<InodeGroups['take']>): Promise<void> => {
    for (const { entry, group } of settled) {
      if (entry.type !== 'f') await onRecord({ ...(await specialRecord(entry, volumePath)), group });
      // A single name: the others are outside of the tree.
      else if (group !== undefined) await onRecord({ type: 'file', path: entry.path, group });
    }
  };
  const sorted = scan(options, {
    program: 'sort',
    args: ['--zero-terminated', `--buffer-size=${sortMemory}`, '--parallel=1'],
    separator: '\0',
    stdin: input,
    onItem: (item) => emit(groups.take(parseFoundEntry(item))),
  });
  const done = sorted.then(() => emit(groups.end()));
  // Awaited when find is through; until then a rejection must not count as unhandled.
  done.catch(() => input.gone());
  return { input, done };
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

function find(
  options: ScanOptions,
  tests: readonly string[],
  onEntry: (entry: FoundEntry, item: string) => Promise<void> | void,
): Promise<void> {
  return scan(options, {
    program: 'find',
    args: [rootOf(options), '-ignore_readdir_race', ...tests, '-printf', foundFormat],
    separator: '\0',
    onItem: (item) => onEntry(parseFoundEntry(item), item),
  });
}

interface Scan {
  program: Program;
  args: readonly string[];
  separator: '\0' | '\n';
  stdin?: AsyncIterable<Uint8Array>;
  onItem(item: string): Promise<void> | void;
}

async function scan({ programs, volumePath, signal }: ScanOptions, work: Scan): Promise<void> {
  const { program, args, separator, stdin, onItem } = work;
  const lengthMax = separator === '\0' ? foundLengthMax : manifestLineLengthMax;
  const splitter = new ByteSplitter(
    separator,
    lengthMax,
    () => new AppError('SCAN_BAD_ANSWER', `${program} printed more than ${lengthMax} bytes without an end`),
  );
  const exit = await programs.run(program, {
    args,
    ...(stdin === undefined ? {} : { stdin }),
    signal,
    onStdout: async (piece) => {
      for (const item of splitter.push(piece)) {
        const pending = onItem(item);
        if (pending !== undefined) await pending;
      }
    },
  });
  signal.throwIfAborted();
  const killed = killedFailure(exit, `reading the attributes of ${volumePath}: ${program}`);
  if (killed !== undefined) throw killed;
  if (exit.exitCode !== 0 && !isHarmless(exit)) throw unreadable(volumePath, program, exit);
  if (splitter.rest() !== '') throw new AppError('SCAN_BAD_ANSWER', `${program} stopped in the middle of an entry`);
}

const complaints = (exit: EngineExit): string[] => exit.stderr.split('\n').filter((line) => line.trim() !== '');

/** Nothing but harmless complaints, and at least one: a program that fails without a word has not done its work. */
function isHarmless(exit: EngineExit): boolean {
  const said = complaints(exit);
  return said.length > 0 && said.every((line) => harmlessComplaint.test(line));
}

function unreadable(volumePath: string, program: Program, exit: EngineExit): AppError {
  const told = complaints(exit)
    .filter((line) => !harmlessComplaint.test(line))
    .slice(-complaintsToldMax)
    .join('; ');
  return new AppError(
    'UPLOADER_SOURCE_UNREADABLE',
    `reading the attributes of ${volumePath}: ${program} ended with exit code ${exit.exitCode}${told === '' ? '' : `: ${told}`}`,
    { retry: 'later', nextStep: 'Check the file system of the volume and the permissions of what is named.' },
  );
}

async function specialRecord(entry: FoundEntry, volumePath: string): Promise<SpecialRecord> {
  const inode = inodeOf(entry);
  switch (entry.type) {
    case 'l':
      return { ...inode, type: 'symlink', target: entry.target };
    case 'p':
      return { ...inode, type: 'fifo' };
    case 'c':
    case 'b': {
      const path = Buffer.concat([Buffer.from(`${volumePath}/`), Buffer.from(entry.path, 'latin1')]);
      const { rdev } = await lstat(path);
      const type = entry.type === 'c' ? 'character-device' : 'block-device';
      return { ...inode, type, ...deviceNumbers(rdev) };
    }
    default:
      throw new AppError('SCAN_BAD_ANSWER', `find printed an entry of type ${JSON.stringify(entry.type)}`);
  }
}

const inodeOf = ({ path, mode, uid, gid, mtime }: FoundEntry) => ({ path, mode, uid, gid, mtime });

/** getfattr repeats what it is given, so that one slash must be one slash. */
const rootOf = ({ volumePath }: ScanOptions): string => (volumePath === '/' ? '/' : volumePath.replace(/\/+$/, ''));
