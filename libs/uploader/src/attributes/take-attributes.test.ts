import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { AppError } from '@lateen/errors';
import type { EngineExit, KopiaSession } from '@lateen/repository';
import { FakeClock } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endLine, headerLine, recordLine } from './attribute-record.ts';
import { inlineLengthMax, inlinePlainLengthMax, packInline, unpackInline } from './inline-manifest.ts';
import { ManifestLines } from './manifest-lines.ts';
import type { Program, Programs } from './programs.ts';
import { readManifest } from './read-manifest.ts';
import { inlineScanMsMax, takeAttributes } from './take-attributes.ts';

const id = '0123456789abcdef0123456789abcdef';
const good: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
const record = (path: string) =>
  recordLine({ type: 'directory', path, mode: 0o755, uid: 0, gid: 0, mtime: '1.500000000' });
const manifest = (records: number) =>
  headerLine + Array.from({ length: records }, (_, at) => record(`d${at}`)).join('') + endLine({ records, sockets: 0 });

describe('a manifest in a tag', () => {
  it('is unpacked as it was packed, and never exceeds the limit of a tag', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (lines) => {
        const value = packInline(lines);
        if (value === undefined) return expect(lines.length).toBeGreaterThan(inlineLengthMax / 4);
        expect(value.length).toBeLessThanOrEqual(inlineLengthMax);
        expect(value).toMatch(/^1\.[\w-]+$/);
        expect(unpackInline(value)).toEqual(Buffer.from(lines));
      }),
    );
  });

  it('is not packed when it is long, however small the result would be', () => {
    expect(packInline('x'.repeat(inlinePlainLengthMax))).toBeDefined();
    expect(packInline('x'.repeat(inlinePlainLengthMax + 1))).toBeUndefined();
  });

  it.each(['', '1', '1.', '1.!', 'x.abc', '1.abc def', '-1.abc', '1.AAAA'])('%j is rejected', (value) =>
    expect(() => unpackInline(value)).toThrow(expect.objectContaining({ code: 'ATTRIBUTES_INVALID' })),
  );

  it('that was truncated anywhere is rejected', async () => {
    const value = packInline(manifest(20)) ?? '';
    const read = async (text: string) => readManifest([unpackInline(text)], () => {});
    expect(await read(value)).toEqual({ records: 20, sockets: 0 });
    for (let at = 0; at < value.length - 1; at++)
      await expect(read(value.slice(0, at))).rejects.toMatchObject({ code: 'ATTRIBUTES_INVALID' });
  });

  it('that expands without end is rejected', () => {
    const bomb = `1.${brotliCompressSync(Buffer.alloc(20_000_000, 'x')).toString('base64url')}`;
    expect(() => unpackInline(bomb)).toThrow('larger than a tag');
  });

  it('of a later version is reported as such', () =>
    expect(() => unpackInline('2.abc')).toThrow(expect.objectContaining({ code: 'ATTRIBUTES_VERSION' })));
});

/** A scan that finds `early` folders at once, and the others when `go` is called. */
function scanOf(early: number, late: number) {
  const folder = (at: number) =>
    `1:2 d 2 755 0 0 1.${String((at * 2_654_435_761) % 1e9).padStart(9, '0')}0 ${at === 0 ? '' : at}//\0`;
  const folders = (from: number, to: number) =>
    Buffer.from(Array.from({ length: to - from }, (_, at) => folder(from + at)).join(''));
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const ran: Program[] = [];
  const programs: Programs = {
    run: async (program, { args, onStdout }) => {
      ran.push(program);
      if (!args.includes('d')) return good;
      await onStdout?.(folders(0, early));
      if (late > 0) await gone;
      if (late > 0) await onStdout?.(folders(early, early + late));
      return good;
    },
  };
  return { programs, ran, go };
}

function take(programs: Programs, signal = new AbortController().signal) {
  const stored: string[] = [];
  const saved: string[] = [];
  const clock = new FakeClock();
  const run: KopiaSession['run'] = async (_, { stdin } = {}) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
    stored.push(gunzipSync(Buffer.concat(chunks)).toString());
    return { ...good, stdout: JSON.stringify({ id, stats: { totalSize: 1 } }) };
  };
  const session = { run } as unknown as KopiaSession;
  const onSaved = (each: string) => void saved.push(each);
  const source = { volumePath: '/uid', mainSourcePath: 'a/ns/pvc', key: 'k' };
  return { taken: takeAttributes({ ...source, session, programs, clock, onSaved, signal }), clock, stored, saved };
}

describe('the found attributes', () => {
  it('are stored in a tag when small, without running kopia', async () => {
    const { programs } = scanOf(5, 0);
    const { taken, stored, clock } = take(programs);
    const { tagArg, stored: storing, end } = await taken;
    expect(tagArg).toMatch(/^--tags=lateen-attributes-inline:1\./);
    expect(storing).toBeUndefined();
    expect(await end).toEqual({ records: 5, sockets: 0 });
    expect(stored).toEqual([]);
    // No timer is left.
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['too much for a tag but not for memory', 330, 0],
    ['too much from the first piece on', 5000, 0],
    ['too much with the last piece', 100, 5000],
  ])('are streamed when they are %s, each record once', async (_, early, late) => {
    const { programs, ran, go } = scanOf(early, late);
    go();
    const { taken, stored, saved } = take(programs);
    const { tagArg, stored: storing } = await taken;
    expect(tagArg).toBe('--tags=lateen-attributes:k');
    expect(await storing).toEqual({ records: early + late, sockets: 0 });
    expect(ran).toEqual(['find', 'getfattr', 'find']);
    expect(saved).toEqual([id]);
    const paths: string[] = [];
    await readManifest([Buffer.from(stored[0] ?? '')], (each) => void paths.push(each.path));
    expect(paths).toEqual(Array.from({ length: early + late }, (_, at) => (at === 0 ? '' : String(at))));
  });

  it.each([
    ['user.comment', false],
    ['trusted.key', false],
    ['system.posix_acl_access', true],
    ['security.capability', true],
  ])('with attribute %s may go into a tag: %s', (name, inline) => {
    const lines = new ManifestLines();
    void lines.take({ type: 'xattr', path: 'file', name, value: 'c2VjcmV0' });
    void lines.end({ records: 1, sockets: 0 });
    expect(lines.inline() !== undefined).toBe(inline);
  });

  it('are streamed when the scan takes long, and the scan continues', async () => {
    const { programs, ran, go } = scanOf(2, 3);
    const { taken, clock, stored } = take(programs);
    let isTaken = false;
    void taken.then(() => {
      isTaken = true;
    });
    await expect.poll(() => ran).toHaveLength(3);
    await clock.advance(inlineScanMsMax - 1);
    expect(isTaken).toBe(false);
    await clock.advance(1);
    const { tagArg, stored: storing } = await taken;
    expect(tagArg).toBe('--tags=lateen-attributes:k');
    expect(stored).toEqual([]);
    go();
    expect(await storing).toEqual({ records: 5, sockets: 0 });
    expect(ran).toHaveLength(3);
    expect(stored[0]).toContain('{"end":{"records":5,"sockets":0}}');
  });

  it('keep their order, whichever program finds something first', async () => {
    const programs: Programs = {
      run: async (program, { args, onStdout }) => {
        // Turns of the event loop: the last in the manifest is the first to be found.
        for (let turn = args.includes('d') ? 0 : program === 'getfattr' ? 5 : 10; turn > 0; turn--) await nextTurn();
        const found =
          program === 'getfattr' ? '# file: /uid/f\nsecurity.capability=0sAA==\n' : args.includes('d') ? folder : pipe;
        await onStdout?.(Buffer.from(found));
        return good;
      },
    };
    const [folder, pipe] = ['1:2 d 2 755 0 0 1.0000000000 //\0', '1:3 p 1 644 0 0 1.0000000000 p//\0'];
    const { tagArg, end } = await take(programs).taken;
    expect(await end).toEqual({ records: 3, sockets: 0 });
    const types: string[] = [];
    const lines = unpackInline(tagArg.slice(tagArg.indexOf(':') + 1));
    await readManifest([lines], (each) => void types.push(each.type));
    expect(types).toEqual(['fifo', 'xattr', 'directory']);
  });

  it.each(['find', 'getfattr'])('do not blame the volume when a program is killed by %s', async (killed) => {
    const { programs } = scanOf(1, 0);
    const dying: Programs = {
      run: async (program, request) => {
        const exit = await programs.run(program, request);
        return program === killed ? { ...exit, exitCode: undefined, endedBy: 'SIGKILL' } : exit;
      },
    };
    await expect(take(dying).taken).rejects.toMatchObject({
      code: 'ENGINE_KILLED',
      message: `reading the attributes of /uid: ${killed} was killed by SIGKILL`,
    });
  });

  it('are dropped on abort, with its reason', async () => {
    const abort = new AbortController();
    const { programs, ran, go } = scanOf(2, 3);
    const { taken } = take(programs, abort.signal);
    await expect.poll(() => ran).toHaveLength(3);
    abort.abort(new AppError('DATA_PATH_CANCELED', 'data path is canceled'));
    go();
    await expect(taken).rejects.toThrow('data path is canceled');
  });
});
