import { AppError, isAppError } from '@lateen/errors';
import type { DecodeContent } from '@lateen/kopia-format';
import type { VolumeWriter } from '@lateen/volume-writer';
import { contentsOf, type ToldContent } from './content-columns.ts';
import { entriesOf, type ToldEntry } from './entry-columns.ts';
import { type LookTask, noContent, type RestoreTask, type RestoreTaskResult, type WriteTask } from './restore-task.ts';

/** What a worker thread does its tasks with: one of each per thread. */
export interface WorkerTools {
  decode: DecodeContent;
  writer: VolumeWriter;
}

/** The worker's side of a restore; for `serveTasks`. Errors name the entry. */
export function restoreWorker(tools: WorkerTools): (task: RestoreTask) => Promise<RestoreTaskResult> {
  const { writer } = tools;
  let complaintsTold = 0;
  return async (task) => {
    const done = carryOut(tools, task);
    await writer.settle();
    const { count, first } = writer.permissionErrors;
    const isNew = complaintsTold === 0 && first !== undefined;
    const complaints = { count: count - complaintsTold, told: isNew ? [first] : [] };
    complaintsTold = count;
    return { bytes: 0, files: 0, ...done, complaints };
  };
}

type Done = Partial<Omit<RestoreTaskResult, 'complaints'>>;

function carryOut(tools: WorkerTools, task: RestoreTask): Done {
  const { writer } = tools;
  switch (task.kind) {
    case 'prepare':
      for (const { path } of entriesOf(task.folders)) writer.makeFolder(path);
      return {};
    case 'look':
      return look(writer, task);
    case 'begin':
      for (const { path, sizeBytes } of entriesOf(task.entries)) writer.beginFile(path, sizeBytes);
      return {};
    case 'write':
      return write(tools, task);
    case 'finish-files': {
      const files = entriesOf(task.entries);
      for (const { path, attributes } of files) writer.finishFile(path, attributes);
      return { files: files.length };
    }
    case 'finish-folders':
      for (const { path, attributes } of entriesOf(task.folders)) writer.finishFolder(path, attributes);
      return {};
    default:
      return task satisfies never;
  }
}

function look(writer: VolumeWriter, { entries, there: { sinceNs, skipsUnchanged } }: LookTask): Done {
  const files = entriesOf(entries);
  const isThere = ({ path, isLink, sizeBytes, attributes }: ToldEntry): boolean => {
    if (isLink) return skipsUnchanged && writer.isUnchangedLink(path);
    if (skipsUnchanged && writer.isUnchangedFile(path, sizeBytes, attributes)) return true;
    return sinceNs !== undefined && writer.isWrittenSince(path, sizeBytes, attributes, sinceNs);
  };
  const there = Uint8Array.from(files, (file) => (isThere(file) ? 1 : 0));
  const found = files.filter((_, at) => there[at] === 1);
  return {
    there,
    files: found.length,
    bytes: found.reduce((sum, { isLink, sizeBytes }) => sum + (isLink ? 0 : sizeBytes), 0),
  };
}

/** Each content is decoded once, and is gone before the next. */
function write({ decode, writer }: WorkerTools, task: WriteTask): Done {
  const contents = contentsOf(task.contents, task.bytes);
  const entries = entriesOf(task.entries);
  const { parts } = task;
  let bytes = 0;
  const pathOfPart = (at: number) => parts.paths[parts.pathOf[at] ?? 0] ?? '';
  const wholeOf = byContent(task.contentOf, contents.length);
  const partsOf = byContent(parts.contentOf, contents.length);
  for (const at of wholeOf.none) writer.writeWholeFile(entries[at]?.path ?? '', [], attributesAt(entries, at));
  for (const [index, content] of contents.entries()) {
    const [whole, pieces] = [wholeOf.lists[index] ?? [], partsOf.lists[index] ?? []];
    const decoded = decoding(decode, content, () =>
      whole[0] === undefined ? pathOfPart(pieces[0] ?? 0) : (entries[whole[0]]?.path ?? ''),
    );
    for (const at of whole) {
      const { path, isLink, attributes } = entries[at] as ToldEntry;
      if (isLink)
        writer.makeLink(path, Buffer.from(decoded.buffer, decoded.byteOffset, decoded.length).toString(), attributes);
      else {
        writer.writeWholeFile(path, [decoded], attributes);
        bytes += decoded.length;
      }
    }
    for (const at of pieces) {
      writer.writeAt(pathOfPart(at), decoded, parts.offsets[at] ?? 0);
      bytes += decoded.length;
    }
  }
  return { bytes, files: entries.length };
}

const attributesAt = (entries: readonly ToldEntry[], at: number) => (entries[at] as ToldEntry).attributes;

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
    throw new AppError(error.code, `${pathOf()} cannot be restored: ${error.message}`, {
      cause: error,
      retry: error.retry,
      details: error.details,
      ...(error.nextStep === undefined ? {} : { nextStep: error.nextStep }),
    });
  }
}
