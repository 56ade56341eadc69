import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addBackports } from './debian-packages.ts';

const sources = {
  lines: '',
  stanzas: 'Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main',
};
const wanted = { codename: 'bookworm', backports: ['qemu-*'] };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-debs-'));
  for (const name of ['sources', 'preferences']) await mkdir(join(dir, name));
});
afterEach(() => rm(dir, { recursive: true }));

const files = async () => [...(await readdir(join(dir, 'sources'))), ...(await readdir(join(dir, 'preferences')))];

it('prefers the backports only after their mirror has served the lists', async () => {
  const asked: string[][] = [];
  const apt = async (_: string, args: readonly string[]) => {
    asked.push([...args, ...(await files())]);
    return '';
  };
  expect(await addBackports(apt, dir, sources, wanted)).toBe(true);
  expect(asked).toEqual([['update', '-qq', '--error-on=any', 'backports.sources']]);
  expect(await files()).toEqual(['backports.sources', 'backports.pref']);
  expect(await readFile(join(dir, 'sources/backports.sources'), 'utf8')).toContain('Suites: bookworm-backports\n');
});

it('leaves nothing behind when the mirror has no backports', async () => {
  const apt = async () => {
    throw new Error('does not have a Release file');
  };
  expect(await addBackports(apt, dir, sources, wanted)).toBe(false);
  expect(await files()).toEqual([]);
});

it('requests nothing when no source names the release', async () => {
  const apt = async () => expect.fail('nobody is to be asked');
  expect(await addBackports(apt, dir, { lines: '', stanzas: '' }, wanted)).toBe(false);
});
