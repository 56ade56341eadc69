import { AppError, isAppError } from '@lateen/errors';
import type { ContentHash, DecodeContent } from '@lateen/kopia-format';
import { contentsOf, type ToldContent } from './content-columns.ts';
import { entriesOf, type ToldEntry } from './entry-columns.ts';
import {
  type CompareTask,
  noContent,
  type Presence,
  presence,
  type RestoreTask,
  type RestoreTaskResult,
  type WriteTask,
} from './restore-task.ts';
import type { TargetWriter } from './target-writer.ts';

/** What a worker thread does its tasks with: one of each per thread. */
export interface WorkerTools {
  decode: DecodeContent;
  /** Of what the target has already. */
  hashOf: ContentHash;
  target: TargetWriter;
}

/** The worker's side of a restore; for `serveTasks`. Errors name the entry. */
export function restoreWorker(tools: WorkerTools): (task: RestoreTask) => Promise<RestoreTaskResult> {
  const { target } = tools;
  let complaintsTold = 0;
  let writtenTold = 0;
  return async (task) => {
    const done = carryOut(tools, task);
    await target.settle();
    const { count, first } = target.permissionErrors;
    const isNew = complaintsTold === 0 && first !== undefined;
    const complaints = { count: count - complaintsTold, told: isNew ? [first] : [] };
    complaintsTold = count;
    const writtenBytes = target.writtenBytes - writtenTold;
    writtenTold = target.writtenBytes;
    return { bytes: 0, files: 0, comparedBytes: 0, unchangedBytes: 0, ...done, writtenBytes, complaints };
  };
}

type Done = Partial<Omit<RestoreTaskResult, 'complaints' | 'writtenBytes'>>;

function carryOut({ decode, hashOf, target }: WorkerTools, task: RestoreTask): Done {
  switch (task.kind) {
    case 'prepare':
      for (const { path } of entriesOf(task.folders)) target.makeFolder(path);
      return {};
    case 'delete-extra':
      return { there: Uint8Array.of(target.deleteExtra(task) ? 1 : 0) };
    case 'look':
      return look(entriesOf(task.entries), (entry) => target.presenceOf(entry, task.there));
    case 'compare':
      return compare(hashOf, target, task);
    case 'begin':
      for (const { path, sizeBytes } of entriesOf(task.entries)) target.beginFile(path, sizeBytes);
      return {};
    case 'write':
      return write(decode, target, task);
    case 'finish-files': {
      const files = entriesOf(task.entries);
      for (const { path, attributes } of files) target.finishFile(path, attributes);
      return { files: files.length };
    }
    case 'finish-folders':
      for (const { path, attributes } of entriesOf(task.folders)) target.finishFolder(path, attributes);
      return {};
    default:
      return task satisfies never;
  }
}

function look(files: readonly ToldEntry[], presenceOf: (file: ToldEntry) => Presence): Done {
  const there = Uint8Array.from(files, presenceOf);
  const found = files.filter((_, at) => there[at] === presence.whole);
  const bytes = found.reduce((sum, { isLink, sizeBytes }) => sum + (isLink ? 0 : sizeBytes), 0);
  return { there, bytes, unchangedBytes: bytes, files: found.length };
}

/** What is right is as good as written. */
function compare(hashOf: ContentHash, target: TargetWriter, { contentIds, lengths, parts }: CompareTask): Done {
  let bytes = 0;
  let comparedBytes = 0;
  const there = Uint8Array.from(parts.pathOf, (path, at) => {
    const content = parts.contentOf[at] ?? 0;
    const [length, offset] = [lengths[content] ?? 0, parts.offsets[at] ?? 0];
    comparedBytes += length;
    const isContent = (present: Uint8Array) => contentIds[content]?.endsWith(hashOf(present)) === true;
    if (!target.holds(parts.paths[path] ?? '', { offset, length, isContent })) return 0;
    bytes += length;
    return 1;
  });
  return { there, bytes, comparedBytes, unchangedBytes: bytes };
}

/** Each content is decoded once, and is gone before the next. */
function write(decode: DecodeContent, target: TargetWriter, task: WriteTask): Done {
  const { parts } = task;
  const entries = entriesOf(task.entries);
  const contents = contentsOf(task.contents, task.bytes);
  const pathOfPart = (at: number) => parts.paths[parts.pathOf[at] ?? 0] ?? '';
  const wholeOf = byContent(task.contentOf, contents.length);
  const partsOf = byContent(parts.contentOf, contents.length);
  for (const at of wholeOf.none) writeWhole(target, entries[at] as ToldEntry, noBytes);
  let bytes = 0;
  for (const [index, content] of contents.entries()) {
    const [whole, pieces] = [wholeOf.lists[index] ?? [], partsOf.lists[index] ?? []];
    const pathOf = () => (whole[0] === undefined ? pathOfPart(pieces[0] ?? 0) : (entries[whole[0]]?.path ?? ''));
    const decoded = decoding(decode, content, pathOf);
    for (const at of whole) bytes += writeWhole(target, entries[at] as ToldEntry, decoded);
    for (const at of pieces) {
      target.writeAt(pathOfPart(at), decoded, parts.offsets[at] ?? 0, parts.unfinished[parts.pathOf[at] ?? 0] === 1);
      bytes += decoded.length;
    }
  }
  return { bytes, files: entries.length };
}

const noBytes = new Uint8Array();

/** How many bytes of a file that was; links count for none, as in the snapshot's own sum. */
function writeWhole(target: TargetWriter, { path, isLink, attributes }: ToldEntry, decoded: Uint8Array): number {
  if (isLink) {
    target.makeLink(path, decoded, attributes);
    return 0;
  }
  target.writeWholeFile(path, decoded.length === 0 ? [] : [decoded], attributes);
  return decoded.length;
}

/** The positions that each content has, and those of none. */
function byContent(contentOf: Uint32Array, count: number): { lists: number[][]; none: number[] } {
  const lists: number[][] = Array.from({ length: count }, () => []);
  const none: number[] = [];
  for (const [at, content] of contentOf.entries()) (content === noContent ? none : lists[content])?.push(at);
  return { lists, none };
}

/** What is damaged is known by its file to those who read the message. */
function decoding(decode: DecodeContent, { location, packed }: ToldContent, pathOf: () => string): Uint8Array {
  try {
    return decode(location, packed);
  } catch (error) {
    if (!isAppError(error, 'CONTENT_CORRUPT')) throw error;
    const path = pathOf();
    throw new AppError(error.code, `${path === '' ? 'the device' : path} cannot be restored: ${error.message}`, {
      cause: error,
      retry: error.retry,
      details: error.details,
      nextStep:
        error.nextStep ??
        'Verify the repository with kopia snapshot verify; restore damaged blobs from a copy of the bucket.',
    });
  }
}
