import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlugin } from './create-plugin.ts';

const template = join(import.meta.dirname, '..', 'template');
let parent = '';
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lateen-create-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const create = (parts: { name?: string; domain?: string } = {}) =>
  createPlugin({ parent, template, name: 'webapp', domain: 'shop.example.io', sdk: '^1.2.3', ...parts });

describe('the folder of a new plugin', () => {
  it('has all files of the template under their final names, with no placeholder left', async () => {
    const folder = await create();
    expect(folder).toBe(join(parent, 'webapp'));
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    expect(files.map(({ name }) => name).sort()).toEqual([
      '.dockerignore',
      '.gitignore',
      'Containerfile',
      'README.md',
      'build.mjs',
      'index.ts',
      'pack.sh',
      'package.json',
      'plugin.test.ts',
      'plugin.ts',
      'tsconfig.json',
    ]);
    for (const file of files)
      expect(await readFile(join(file.parentPath, file.name), 'utf8'), file.name).not.toMatch(/\{\{/);
  });

  it('has the given name, and requires the given SDK', async () => {
    const folder = await create();
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'webapp',
      dependencies: { '@lateen/plugin': '^1.2.3' },
    });
    expect(await readFile(join(folder, 'src', 'plugin.ts'), 'utf8')).toContain("'shop.example.io/mark'");
  });

  it('never overwrites another folder', async () => {
    await create();
    await expect(create()).rejects.toMatchObject({
      code: 'FOLDER_TAKEN',
      message: `${join(parent, 'webapp')} exists already`,
    });
  });

  it.each([
    [{ name: '../webapp' }, '"../webapp" cannot be the name of a plugin\'s folder and package'],
    [{ name: 'WebApp' }, '"WebApp" cannot be the name of a plugin\'s folder and package'],
    [{ domain: 'Example' }, '"Example" cannot be the domain of a plugin\'s actions: "Example" is not a DNS subdomain'],
    [{ domain: 'a/b' }, '"a/b" cannot be the domain of a plugin\'s actions: it has more than one "/"'],
  ])('is not created for %j', async (parts, message) => {
    await expect(create(parts)).rejects.toMatchObject({ code: 'NAME_INVALID', message });
    expect(await readdir(parent)).toEqual([]);
  });
});
