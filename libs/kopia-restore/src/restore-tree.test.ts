import { AppError } from '@lateen/errors';
import type { ContentLocation, FolderEntry } from '@lateen/kopia-format';
import type { PackReader } from '@lateen/pack-reader';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { RestoreCounts } from './restore-counts.ts';
import type { RestorePorts, RestoreSettings } from './restore-ports.ts';
import { presence, type RestoreTask } from './restore-task.ts';
import { restoreFile, restoreTree } from './restore-tree.ts';
import { restoreWorker } from './restore-worker.ts';
import type { TargetWriter } from './target-writer.ts';

const attributes = { mode: 0o644, uid: 0, gid: 0, mtimeNs: 5n };
const entry = (name: string, type: FolderEntry['type'], size: number, indirection = 0): FolderEntry => ({
  ...attributes,
  name,
  type,
  size,
  objectId: { contentId: name, indirection },
  tree: undefined,
});
const file = (name: string) => entry(name, 'file', name.length);

/** The content of each ID is the ID itself; it lies in a pack that is named by the first letter. */
const locate = (contentId: string): ContentLocation => ({
  contentId,
  packId: `p${contentId[0]}`,
  offset: 0,
  length: contentId.length,
  originalLength: contentId.length,
  compressionHeaderId: 0,
});

interface Script {
  tree?: Record<string, FolderEntry[]>;
  /** The parts of large files, by the ID of their list. */
  parts?: Record<string, string[]>;
  missing?: string;
  /** Entries that exist already. */
  there?: string[];
  settings?: Partial<RestoreSettings>;
  /** A content that the reader skips without an error. */
  lost?: string;
  /** The path whose write fails. */
  broken?: string;
  /** What an earlier attempt has written of unfinished files, or what the device contains. */
  held?: Record<string, string>;
}

function rig({ tree = {}, parts = {}, missing, there = [], settings = {}, broken, lost, held = {} }: Script) {
  const done: string[] = [];
  const note = (text: string) => void done.push(text);
  const target: TargetWriter = {
    makeFolder: (path) => note(`make ${path}/`),
    finishFolder: (path) => note(`end ${path}/`),
    writeWholeFile: (path, pieces) => {
      if (path === broken) throw new AppError('UPLOADER_VOLUME_FULL', `writing ${path}`);
      note(`write ${path}=${Buffer.concat(pieces)}`);
    },
    beginFile: (path) => note(`begin ${path}`),
    writeAt: (path, data, offset, unfinished) =>
      note(`${unfinished ? 'over' : 'part'} ${path}@${offset}=${Buffer.from(data)}`),
    finishFile: (path) => note(`finish ${path}`),
    makeLink: (path, to) => note(`link ${path}=${Buffer.from(to)}`),
    settle: async () => {},
    writtenBytes: 0,
    close: async () => {},
    permissionErrors: { count: 0, first: undefined },
    deleteExtra: () => false,
    presenceOf: ({ path }) => {
      if (held[path] !== undefined) return presence.unfinished;
      return there.includes(path) ? presence.whole : presence.none;
    },
    holds: (path, { offset, length, isContent }) =>
      isContent(Buffer.from(held[path]?.slice(offset, offset + length) ?? '')),
  };
  const worker = restoreWorker({
    target,
    hashOf: (bytes) => Buffer.from(bytes).toString(),
    decode: (_, packed) => Uint8Array.from(packed),
  });
  const fetched: string[] = [];
  const readAll: PackReader['readAll'] = async (slices, take) => {
    await Promise.all(
      slices.map(async (slice) => {
        const { contentId } = slice as unknown as ContentLocation;
        fetched.push(contentId);
        if (contentId === lost) return;
        const bytes = new Uint8Array(new SharedArrayBuffer(contentId.length));
        bytes.set(Buffer.from(contentId));
        await take({ bytes, offset: 0, slices: [slice] });
        bytes.fill(0);
      }),
    );
  };
  const ports: RestorePorts = {
    clock: new FakeClock(),
    reader: { readAll },
    // Messages in both directions are cloned, as with real threads.
    pool: {
      run: async (task, signal) => {
        signal.throwIfAborted();
        await new Promise((resolve) => setImmediate(resolve));
        return structuredClone(await worker(structuredClone(task as RestoreTask)));
      },
    },
    folders: () => ({
      read: async function* ({ contentId }) {
        yield tree[contentId] ?? [];
      },
      sizesOf: async (objectIds) => objectIds.map(() => 1),
    }),
    objects: {
      locate: async (ids) => ids.map((id) => (id === missing ? undefined : locate(id))),
      chunksOf: async function* ({ contentId }) {
        let offset = 0;
        for (const id of parts[contentId] ?? []) {
          yield [{ contentId: id, offset }];
          offset += id.length;
        }
      },
    },
  };
  const all: RestoreSettings = {
    limits: { entriesMax: 3, nameBytesMax: 1000, slicesMax: 2, foldersAheadMax: 4, folderBytesAheadMax: 4 },
    there: { sinceNs: undefined, skipsUnchanged: false },
    ...settings,
  };
  const counts = new RestoreCounts();
  const root = { folder: { path: '', attributes }, objectId: { contentId: 'root', indirection: 0 } };
  const run = (signal = new AbortController().signal) => restoreTree(ports, all, root, counts, signal);
  return { run, done, counts, fetched, ports, all };
}

const tree = {
  root: [entry('sub', 'folder', 0), file('aa'), entry('link', 'link', 4), file('bbb'), entry('none', 'file', 0)],
  sub: [file('cc'), file('dddd'), entry('big', 'file', 9, 1)],
};
const parts = { big: ['one', 'two', 'six'] };
/** A later attempt. */
const again = { there: { sinceNs: 1n, skipsUnchanged: false } };
const place = (done: readonly string[], text: string) => done.findIndex((each) => each.startsWith(text));

describe('restoreTree', () => {
  it('writes each entry once, in windows, and counts them', async () => {
    const { run, done, counts } = rig({ tree, parts });
    await run();
    expect(done.filter((each) => /^(write|link|part)/.test(each)).sort()).toEqual([
      'link link=link',
      'part sub/big@0=one',
      'part sub/big@3=two',
      'part sub/big@6=six',
      'write aa=aa',
      'write bbb=bbb',
      'write none=',
      'write sub/cc=cc',
      'write sub/dddd=dddd',
    ]);
    expect(counts).toMatchObject({ files: 7, bytes: 2 + 3 + 2 + 4 + 9 });
  });

  it.each(['cc', 'two'])('fails when a content was not delivered: %s', async (lost) => {
    const { run } = rig({ tree, parts, lost });
    await expect(run()).rejects.toMatchObject({
      code: 'RESTORE_INCOMPLETE',
      message: '6 files and links were written, and the snapshot has 7',
    });
  });

  it('creates folders before their contents and finishes them afterwards, even for files in parts', async () => {
    const { run, done } = rig({ tree, parts });
    await run();
    expect(place(done, 'make /')).toBeLessThan(place(done, 'make sub/'));
    expect(place(done, 'make sub/')).toBeLessThan(place(done, 'write sub/cc'));
    expect(place(done, 'begin sub/big')).toBeLessThan(place(done, 'part sub/big'));
    expect(done.findLastIndex((each) => each.startsWith('part'))).toBeLessThan(place(done, 'finish sub/big'));
    expect(done.filter((each) => each.startsWith('finish'))).toEqual(['finish sub/big']);
    expect(place(done, 'finish sub/big')).toBeLessThan(place(done, 'end sub/'));
    expect(done.at(-1)).toBe('end /');
  });

  it('fetches a content once per batch, even if several files have it', async () => {
    const alike = { ...file('aa'), name: 'other' };
    const { run, done, fetched } = rig({ tree: { root: [file('aa'), alike] } });
    await run();
    expect(fetched).toEqual(['aa']);
    expect(done).toEqual(expect.arrayContaining(['write aa=aa', 'write other=aa']));
  });

  it('leaves existing entries alone, and counts them', async () => {
    const { run, done, counts, fetched } = rig({ tree, parts, settings: again, there: ['aa', 'sub/big'] });
    await run();
    expect(done.join()).not.toMatch(/write aa|big/);
    expect(fetched.sort()).toEqual(['bbb', 'cc', 'dddd', 'link']);
    expect(counts.files).toBe(7);
  });

  it('continues a large file of an earlier attempt: correct parts are neither fetched nor written', async () => {
    const { run, done, counts, fetched } = rig({ tree, parts, settings: again, held: { 'sub/big': 'one\0\0\0sxi' } });
    await run();
    expect(done.filter((each) => each.includes('sub/big'))).toEqual([
      'over sub/big@3=two',
      'over sub/big@6=six',
      'finish sub/big',
    ]);
    expect(fetched).not.toContain('one');
    expect(counts).toMatchObject({ files: 7, bytes: 2 + 3 + 2 + 4 + 9 });
  });

  it('finishes a large file whose parts all exist', async () => {
    const { run, done, fetched } = rig({ tree, parts, settings: again, held: { 'sub/big': 'onetwosix' } });
    await run();
    expect(done.filter((each) => each.includes('sub/big'))).toEqual(['finish sub/big']);
    expect(fetched.filter((id) => parts.big.includes(id))).toEqual([]);
    expect(place(done, 'finish sub/big')).toBeLessThan(place(done, 'end sub/'));
  });

  it('fetches a content again when an unfinished file has it and another file lacks it', async () => {
    const root = [
      entry('big', 'file', 6, 1),
      { ...entry('other', 'file', 3), objectId: { contentId: 'one', indirection: 0 } },
    ];
    const script = { tree: { root }, parts: { big: ['one', 'two'] }, settings: again, held: { big: 'onetwo' } };
    const { run, done, fetched } = rig(script);
    await run();
    expect(fetched).toEqual(['one']);
    expect(done).toEqual(['make /', 'write other=one', 'finish big', 'end /']);
  });

  it('ends with the first failure, and finishes no folder with missing contents', async () => {
    const { run, done } = rig({ tree, parts, broken: 'sub/cc' });
    await expect(run()).rejects.toMatchObject({ code: 'UPLOADER_VOLUME_FULL' });
    expect(place(done, 'end sub/')).toBe(-1);
  });

  it('names the file of a content that is in no index', async () => {
    const { run } = rig({ tree, parts, missing: 'two' });
    await expect(run()).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
      message: expect.stringContaining('sub/big'),
    });
  });

  it('ends with the reason of a signal', async () => {
    const abort = new AbortController();
    const { run } = rig({ tree, parts });
    const running = run(abort.signal);
    const reason = new AppError('DATA_PATH_CANCELED', 'it is canceled');
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
  });
});

describe('restoreFile', () => {
  it('neither fetches nor writes existing parts, and counts them', async () => {
    const { ports, all, counts, fetched, done } = rig({ parts, held: { '': '???two???' }, settings: again });
    const big = { ...entry('', 'file', 9, 1), objectId: { contentId: 'big', indirection: 1 } };
    const placed = { entry: big as never, folder: { path: '', attributes } };
    await restoreFile(ports, all, placed, counts, new AbortController().signal);
    expect(fetched).toEqual(['one', 'six']);
    expect(done).toEqual(['over @0=one', 'over @6=six', 'finish ']);
    expect(counts).toMatchObject({ bytes: 9, files: 1, comparedBytes: 9, unchangedBytes: 3 });
  });
});
