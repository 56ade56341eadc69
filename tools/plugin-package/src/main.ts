import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packCreatePlugin, packPluginSdk } from './pack-plugin-sdk.ts';

/** `npm run plugin-packages -- [FOLDER]`: creates both packages there; `npm publish TARBALL` sends one to a registry. */
const root = join(import.meta.dirname, '..', '..', '..');
const target = resolve(process.argv[2] ?? join(root, 'dist', 'plugin-packages'));
for (const [name, pack] of [
  ['plugin', packPluginSdk],
  ['create-lateen-plugin', packCreatePlugin],
] as const) {
  const folder = join(target, name);
  await rm(folder, { recursive: true, force: true });
  console.log(await pack(root, folder));
}
