import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { describeTree, treeScript } from '@lateen/testing/trees';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Applied, applyAttributes } from './apply-attributes.ts';
import { endLine, headerLine, recordLine } from './attribute-record.ts';
import { kopiaName } from './kopia-name.ts';
import { type Programs, systemPrograms } from './programs.ts';
import { scanAttributes } from './scan-attributes.ts';

const isRoot = process.getuid?.() === 0;
const hasPrograms = ['find', 'sort', 'getfattr', 'setfattr', 'setfacl', 'tar', 'bash'].every((program) => {
  try {
    return execFileSync('which', [program]).length > 0;
  } catch {
    return false;
  }
});
const signal = new AbortController().signal;
const base = mkdtempSync(join(tmpdir(), 'lateen-attributes-'));
const programs = systemPrograms({
  clock: systemClock,
  graceMs: 1000,
  path: process.env.PATH,
  scratchDirectory: base,
});
const shell = (script: string, cwd: string) =>
  execFileSync('bash', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
const freshDirectory = () => mkdtempSync(join(base, 'tree-'));

afterAll(() => rmSync(base, { recursive: true, force: true }));

async function manifestOf(volumePath: string): Promise<string> {
  let lines = headerLine;
  const end = await scanAttributes({
    programs,
    volumePath,
    signal,
    onRecord: (record) => {
      lines += recordLine(record);
    },
  });
  return lines + endLine(end);
}

async function* piecesOf(text: string, size = 1000): AsyncGenerator<Buffer> {
  const whole = Buffer.from(text);
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

const applyTo = (volumePath: string, manifest: string): Promise<Applied> =>
  applyAttributes({ programs, volumePath, signal }, piecesOf(manifest));

/** Bytes of one entry of a folder. */
const inFolder = (folder: Buffer, name: string): Buffer =>
  Buffer.concat([folder, Buffer.from('/'), Buffer.from(name, 'latin1')]);

/** Gives every entry the name that kopia stores; another test shows the real names with the real kopia. */
function renameAsKopiaDoes(folder: Buffer): void {
  for (const name of readdirSync(folder, { encoding: 'buffer' }).map((each) => each.toString('latin1'))) {
    const path = inFolder(folder, name);
    if (lstatSync(path).isDirectory()) renameAsKopiaDoes(path);
    renameSync(path, inFolder(folder, kopiaName(name)));
  }
}

/**
 * What kopia restores: folders, files and links. Each name becomes a file of its own, links and non-empty folders get other
 * times, and all names are UTF-8.
 */
const copyAsKopiaDoes = (from: string, to: string): void => {
  const kept = String.raw`find . \( -type d -o -type f -o -type l \) -print0`;
  const copy = 'tar --null --no-recursion --hard-dereference --format=posix -cf - -T -';
  // A folder that is empty for kopia may hold a pipe, which is not copied.
  const copied = mkdtempSync(join(base, 'copied-'));
  shell(`${kept} | ${copy} | tar -C '${copied}' -xpf -`, from);
  renameAsKopiaDoes(Buffer.from(copied));
  // Replaces existing entries, as kopia does.
  shell(`tar --format=posix -cf - . | tar -C '${to}' -xpf -; find '${to}' -type d ! -empty -exec touch {} +`, copied);
};

describe.skipIf(!hasPrograms)('a manifest, written and applied', () => {
  it('makes any copied tree equal to its source', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 40 }), async (seed, entries) => {
        const [source, target] = [freshDirectory(), freshDirectory()];
        shell(treeScript({ random: seededRandom(seed), entries, isRoot }), source);
        copyAsKopiaDoes(source, target);
        const applied = await applyTo(target, await manifestOf(source));
        expect(applied.complaints).toEqual({ count: 0, told: [] });
        expect(describeTree(target)).toEqual(describeTree(source));
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('counts sockets, keeps times before 1970, and skips files that are gone or were excluded', async () => {
    const [source, target] = [freshDirectory(), freshDirectory()];
    shell('mkdir d; : > d/a; ln d/a d/b; ln -s x l; mkfifo d/p; touch -h -d @-1.5 l d/p d', source);
    const socket = createServer().listen(join(source, 'socket'));
    await once(socket, 'listening');
    const manifest = await manifestOf(source);
    socket.close();
    const applied = await applyTo(target, manifest);
    // The root folder is there; the two names, the link, the pipe and the folder are not.
    expect(applied).toMatchObject({ sockets: 1, records: 6, skipped: 5, complaints: { count: 0 } });
    copyAsKopiaDoes(source, target);
    expect(await applyTo(target, manifest)).toMatchObject({ skipped: 0, complaints: { count: 0 } });
    // Closing the socket has changed the time of the root folder.
    const belowRoot = (tree: string) => describeTree(tree).filter((line) => !line.startsWith('.|'));
    expect(belowRoot(target)).toEqual(belowRoot(source));
  });

  it('does not join names that had one file at the scan, but not when the data was read', async () => {
    const [source, target] = [freshDirectory(), freshDirectory()];
    shell('echo old > a; ln a b; ln a c', source);
    const manifest = await manifestOf(source);
    shell('echo new-a > next; mv next a', source);
    copyAsKopiaDoes(source, target);
    expect(await applyTo(target, manifest)).toMatchObject({ complaints: { count: 0 } });
    expect(String(shell('cat a b c', target))).toBe('new-a\nold\nold\n');
  });

  describe('with names that are not UTF-8', () => {
    const odd = String.raw`mkdir -p $'d\xff'/$'e\xe4' ü; : > $'d\xff'/$'e\xe4'/$'M\xf6'; : > $'d\xff'/below; : > $'new\nline'
      setfattr -n user.x -v 1 $'d\xff'/$'e\xe4'/$'M\xf6'; ln $'d\xff'/below $'link\xe9'; ln -s $'M\xf6' $'l\xe9'; mkfifo $'p\xe2\x82'
      touch -d @7.000000007 $'d\xff'/$'e\xe4' $'d\xff'`;

    it('restores them, once and over the remains of an earlier attempt', async () => {
      const [source, target] = [freshDirectory(), freshDirectory()];
      shell(odd, source);
      const manifest = await manifestOf(source);
      expect(manifest.match(/"type":"name"/g)).toHaveLength(6);
      for (let attempt = 1; attempt <= 2; attempt++) {
        copyAsKopiaDoes(source, target);
        const applied = await applyTo(target, manifest);
        expect(applied).toMatchObject({ skipped: 0, complaints: { count: 0 } });
        expect(describeTree(target)).toEqual(describeTree(source));
      }
    });

    it('skips names that the snapshot lacks, and reports names that another entry uses', async () => {
      const [source, target] = [freshDirectory(), freshDirectory()];
      shell(String.raw`mkdir $'d\xff'; echo new > $'d\xff'/$'f\xfe'; : > $'x\xfe'`, source);
      shell(String.raw`mkdir $'d\xff' $'x\xfe'; echo old > $'d\xff'/$'f\xfe'; echo own > $'d\xff'/own`, target);
      const manifest = await manifestOf(source);
      copyAsKopiaDoes(source, target);
      const { complaints } = await applyTo(target, manifest);
      expect(complaints).toEqual({
        count: 1,
        told: [String.raw`"x\xfe" keeps the name "x\xef\xbf\xbd": something else is there`],
      });
      expect(shell(String.raw`cat $'d\xff'/$'f\xfe' $'d\xff'/own`, target).toString()).toBe('new\nown\n');
    });

    it.each([
      [String.raw`: > $'caf\xe8'; : > $'caf\xe9'`, String.raw`"caf\xe8" and "caf\xe9" become the same`],
      [String.raw`mkdir $'d\xe8'; mkfifo $'d\xe9'`, String.raw`"d\xe8" and "d\xe9" become the same`],
      [String.raw`: > $'x\xff'; : > $'x\xef\xbf\xbd'`, String.raw`"x\xef\xbf\xbd" and "x\xff" become the same`],
      [
        String.raw`mkdir d; : > d/$(printf '\xe4%.0s' {1..86})`,
        `"d/${'\\xe4'.repeat(86)}" becomes longer than 255 bytes`,
      ],
    ])('is rejected by name when one of them would be lost: %j', async (script, told) => {
      const source = freshDirectory();
      shell(script, source);
      await expect(manifestOf(source)).rejects.toMatchObject({
        code: 'UPLOADER_NAME_NOT_KEPT',
        message: expect.stringContaining(told),
        nextStep: expect.stringContaining('UploaderType restic'),
      });
    });

    it('names some and counts the others when many would be lost', async () => {
      const source = freshDirectory();
      for (let byte = 0x80; byte < 0xa0; byte++)
        writeFileSync(inFolder(Buffer.from(source), `f${String.fromCharCode(byte)}`), '');
      await expect(manifestOf(source)).rejects.toThrow(/"f\\x80" and "f\\x81" become the same; .*; and 26 more$/);
    });

    it('accepts names that only look equal', async () => {
      const [source, target] = [freshDirectory(), freshDirectory()];
      shell(
        String.raw`mkdir a b; : > a/$'x\xff'; : > b/$'x\xfe'; : > $'x\xff'; : > $'x\xff\xfe'; : > $'\xef\xbf\xbd'`,
        source,
      );
      copyAsKopiaDoes(source, target);
      await applyTo(target, await manifestOf(source));
      expect(describeTree(target)).toEqual(describeTree(source));
    });
  });

  it('names an unreadable file system', async () => {
    const missing = manifestOf(join(base, 'no such volume'));
    await expect(missing).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
  });

  it('ends on an abort', async () => {
    const abort = new AbortController();
    const source = freshDirectory();
    shell('mkfifo a b c', source);
    const scan = scanAttributes({
      programs,
      volumePath: source,
      signal: abort.signal,
      onRecord: () => abort.abort(new Error('enough')),
    });
    await expect(scan).rejects.toThrow('enough');
  });

  it.skipIf(!isRoot)('applies what it may, and reports what it may not', async () => {
    const [source, target] = [freshDirectory(), freshDirectory()];
    shell(
      'mknod null c 1 3; mkfifo pipe; : > f; setfattr -n trusted.x -v 1 f; setfattr -n user.x -v 1 f; touch -d @5.000000005 .',
      source,
    );
    copyAsKopiaDoes(source, target);
    const manifest = await manifestOf(source);
    const options = { programs: without('mknod,sys_admin'), volumePath: target, signal };
    const { complaints } = await applyAttributes(options, piecesOf(manifest));
    expect(complaints.count).toBe(2);
    expect(complaints.told[0]).toBe('tar: ./null: Cannot mknod: Operation not permitted');
    expect(complaints.told[1]).toMatch(/^setfattr: .*\/f: Operation not permitted$/);
    const lost = (line: string) => !line.includes('null') && !line.startsWith('# file: f');
    expect(describeTree(target).filter(lost)).toEqual(describeTree(source).filter(lost));
    expect(describeTree(target).join()).toContain('user.x');
  });
});

/** The same programs, without capabilities that a pod may lack. */
function without(capabilities: string): Programs {
  const gone = capabilities
    .split(',')
    .map((name) => `-${name}`)
    .join(',');
  const engine = childRunner({ program: 'setpriv', clock: systemClock, graceMs: 1000 });
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
  return {
    run: (program, { args, ...request }) =>
      engine.run({ ...request, env, args: [`--bounding-set=${gone}`, `--inh-caps=${gone}`, program, ...args] }),
  };
}

describe.skipIf(!hasPrograms)('a malicious or damaged manifest', () => {
  const record = (more: object) => `${JSON.stringify(more)}\n`;
  const inode = { mode: 0o755, uid: 0, gid: 0, mtime: '1.000000000' };
  const apply = async (...lines: string[]) => {
    const target = freshDirectory();
    shell('mkdir real; : > real/file; : > other; ln -s .. out; ln -s /etc etc', target);
    const before = describeTree(target);
    const manifest = [headerLine, ...lines, endLine({ records: lines.length, sockets: 0 })].join('');
    const outcome = await applyTo(target, manifest).catch((error: unknown) => error);
    return { outcome, target, unchanged: describeTree(target).join('\n') === before.join('\n') };
  };
  const invalid = expect.objectContaining({
    code: 'ATTRIBUTES_INVALID',
    nextStep: expect.stringContaining('AttributeManifest'),
  });

  it.each([
    '../x',
    '/etc/x',
    'real/../../x',
    'real//x',
    './x',
    'real/',
    '..',
    'out/x',
    'etc/x',
    'other/x',
    'real/file/x',
  ])('cannot create anything at %j', async (path) => {
    const { outcome, unchanged } = await apply(record({ type: 'fifo', path, ...inode }));
    expect(outcome).toEqual(invalid);
    expect(unchanged).toBe(true);
  });

  it('cannot leave the volume through a replaced folder or its own link', async () => {
    const link = (path: string) => record({ type: 'symlink', path, target: '/etc', ...inode });
    // The folder stays; what is below it is below it.
    const first = await apply(link('real'), record({ type: 'fifo', path: 'real/x', ...inode }));
    expect(first.outcome).toMatchObject({ skipped: 1 });
    expect(describeTree(first.target).join()).toContain('./real/x|p|755');
    const second = await apply(link('out'), record({ type: 'fifo', path: 'out/x', ...inode }));
    expect(second.outcome).toEqual(invalid);
    const third = await apply(link('out'), record({ type: 'xattr', path: 'out/passwd', name: 'user.x', value: '' }));
    expect(third.outcome).toEqual(invalid);
    const fourth = await apply(link('out'), record({ type: 'directory', path: 'out', ...inode }));
    expect(fourth.outcome).toMatchObject({ skipped: 1 });
  });

  it('cannot link to a file outside, nor give one attributes through a link', async () => {
    const names = ['out/x', 'real/file'].map((path) => record({ type: 'file', path, group: 1 }));
    expect((await apply(...names)).outcome).toEqual(invalid);
    const onLink = await apply(record({ type: 'xattr', path: 'etc', name: 'trusted.lateen-test', value: '' }));
    if (isRoot) expect(describeTree(onLink.target).join()).toContain('# file: etc\ntrusted.lateen-test');
    expect(execFileSync('getfattr', ['-d', '-m', 'lateen-test', '--absolute-names', '/etc']).toString()).toBe('');
  });

  it('cannot inject an attribute of another file through a name', async () => {
    const name = 'user.x=0sAA==\n# file: other\nuser.y';
    const { target } = await apply(record({ type: 'xattr', path: 'real/file', name, value: 'YQ==' }));
    expect(describeTree(target).filter((line) => line.startsWith('# file: other'))).toEqual([]);
  });

  it.each(['../\xff', '/etc/\xff', 'real/../\xff', 'out/\xff', 'etc/\xff', 'other/\xff', '\xff/../x'])(
    'cannot rename anything at %j',
    async (path) => {
      const { outcome, unchanged } = await apply(recordLine({ type: 'name', path }));
      expect(outcome).toEqual(invalid);
      expect(unchanged).toBe(true);
    },
  );

  it('cannot rename what kopia would not have renamed, nor replace a folder', async () => {
    const names = await apply(...['real', 'real/file', 'none\xff'].map((path) => recordLine({ type: 'name', path })));
    expect(names.outcome).toMatchObject({ skipped: 3 });
    expect(names.unchanged).toBe(true);
    const target = freshDirectory();
    shell(String.raw`mkdir $'d\xff'; : > $'d\xff'/own; ln -s /etc $'d\xef\xbf\xbd'`, target);
    const lines = [
      recordLine({ type: 'name', path: 'd\xff' }),
      record({ type: 'directory', path: 'd\xff/own', ...inode }),
    ];
    const applied = await applyTo(target, [headerLine, ...lines, endLine({ records: 2, sockets: 0 })].join(''));
    expect(applied).toMatchObject({ skipped: 1, complaints: { count: 1 } });
    expect(shell(String.raw`ls $'d\xff'`, target).toString()).toBe('own\n');
  });

  it.each([
    ['a line that is no JSON', 'nonsense\n'],
    ['a record of no kind', '{"type":"socket","path":"x"}\n'],
    ['a path that is not bytes', '{"type":"file","path":"\u0100","group":1}\n'],
    ['a zero in a path', '{"type":"file","path":"a\\u0000b","group":1}\n'],
    ['a value that is no base64', '{"type":"xattr","path":"other","name":"user.a","value":"%%%"}\n'],
    ['a mode of a regular file', record({ type: 'fifo', path: 'x', ...inode, mode: 0o100644 })],
    ['a time that is no number', record({ type: 'fifo', path: 'x', ...inode, mtime: '1\n18 path=x' })],
    ['a name of the first version', '{"type":"name","path":"x\\u00ff"}\n'],
    ['a header of the version of names', '{"lateen-attributes":2}\n'],
    ['a record of the version of names', '{"lateen-attributes":2,"type":"file","path":"x","group":1}\n'],
    ['a second header', headerLine],
    ['a line without an end', `"${'x'.repeat(300_000)}`],
    [
      'records out of order',
      record({ type: 'directory', path: '', ...inode }) + record({ type: 'fifo', path: 'x', ...inode }),
    ],
  ])('with %s is rejected', async (_, line) => {
    expect((await apply(line)).outcome).toEqual(invalid);
  });

  it('that was truncated anywhere is rejected', async () => {
    const source = freshDirectory();
    shell(treeScript({ random: seededRandom(3), entries: 20, isRoot }), source);
    const manifest = await manifestOf(source);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: Buffer.byteLength(manifest) - 1 }), async (at) => {
        const cut = Buffer.from(manifest).subarray(0, at).toString();
        await expect(applyTo(freshDirectory(), cut)).rejects.toEqual(invalid);
      }),
      { numRuns: 10 },
    );
  });

  it('of a later version is reported as such', async () => {
    const later = applyTo(freshDirectory(), '{"lateen-attributes":3}\n');
    await expect(later).rejects.toMatchObject({
      code: 'ATTRIBUTES_VERSION',
      message: expect.stringContaining('version 3'),
    });
  });
});
