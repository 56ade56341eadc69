import { chmod, mkdir, mkdtemp, readdir, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFiles } from './node-files.ts';

const ext4Magic = 0xef53;
let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));
const at = (name: string) => join(directory, name);

describe('nodeFiles', () => {
  it('replaces a text atomically, readable only by its owner, and leaves no temporary file', async () => {
    await nodeFiles.writeDurably(at('r.json'), 'old');
    await nodeFiles.writeDurably(at('r.json'), 'new');
    expect(await nodeFiles.readText(at('r.json'))).toBe('new');
    expect((await stat(at('r.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['r.json']);
  });

  it('removes its temporary file when a write fails, and keeps the old text', async () => {
    await mkdir(at('r.json'));
    await expect(nodeFiles.writeDurably(at('r.json'), 'new')).rejects.toThrow();
    expect(await readdir(directory)).toEqual(['r.json']);
  });

  it('overwrites a temporary file that a killed process left', async () => {
    await writeFile(at('r.json.tmp'), 'half and much longer than the new text');
    await nodeFiles.writeDurably(at('r.json'), 'new');
    expect(await nodeFiles.readText(at('r.json'))).toBe('new');
  });

  it('makes sparse files, grows them, never shrinks them, never replaces one', async () => {
    await nodeFiles.createSparse(at('v.img'), 1024 ** 3);
    expect(await nodeFiles.facts(at('v.img'))).toMatchObject({ sizeBytes: 1024 ** 3, allocatedBytes: 0 });
    await nodeFiles.growSparse(at('v.img'), 2 * 1024 ** 3);
    await nodeFiles.growSparse(at('v.img'), 1);
    expect((await nodeFiles.facts(at('v.img')))?.sizeBytes).toBe(2 * 1024 ** 3);
    await expect(nodeFiles.createSparse(at('v.img'), 1)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('returns OUT_OF_RANGE for a file that the file system cannot hold', async ({ skip }) => {
    // XFS and tmpfs hold files of this size.
    skip((await statfs(directory)).type !== ext4Magic, 'the temporary directory is not on ext4');
    await expect(nodeFiles.createSparse(at('v.img'), Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
    });
  });

  it('returns nothing for a missing file', async () => {
    expect(await nodeFiles.readText(at('none'))).toBeUndefined();
    expect(await nodeFiles.facts(at('none'))).toBeUndefined();
    await expect(nodeFiles.removeDurably(at('none'))).resolves.toBeUndefined();
    await expect(nodeFiles.removeMountPoint(at('none'))).resolves.toBeUndefined();
  });

  it('removes an empty mount point, but not one with content', async () => {
    await mkdir(at('empty'));
    await mkdir(at('full'));
    await writeFile(at('full/precious'), 'data');
    await writeFile(at('blank'), '');
    await writeFile(at('data'), 'data');
    await symlink(at('data'), at('link'));
    await nodeFiles.removeMountPoint(at('empty'));
    await nodeFiles.removeMountPoint(at('blank'));
    for (const kept of ['full', 'data', 'link']) await expect(nodeFiles.removeMountPoint(at(kept))).rejects.toThrow();
    expect((await readdir(directory)).sort()).toEqual(['data', 'full', 'link']);
  });

  it('does not follow a link when it creates a file to mount on', async () => {
    await writeFile(at('elsewhere'), '');
    await chmod(at('elsewhere'), 0o400);
    await symlink(at('elsewhere'), at('link'));
    await expect(nodeFiles.makeMountFile(at('link'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});
