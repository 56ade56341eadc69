import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { bundleEntries } from './bundle-entries.ts';
import { writeDeclarations } from './declarations.ts';
import { libraryManifest, type Manifest, withDependencies } from './workspace-packages.ts';

/** Version of Node that the code needs: JSON with source access, and `using` after the bundler. */
const engines = { node: '>=22' };
const license = 'Apache-2.0';

/**
 * Creates the package `@lateen/plugin` in `folder`, as it is published: one ESM file per entry, declarations, no import of this workspace.
 * @param release version of the package; default: that of the workspace
 * @returns the path of its tarball
 */
export async function packPluginSdk(root: string, folder: string, release?: string): Promise<string> {
  const libraries = await withDependencies(root, '@lateen/plugin');
  const { name, version, description, exports } = await libraryManifest(root, '@lateen/plugin');
  await mkdir(folder, { recursive: true });
  const entries = Object.entries(exports).map(([subpath, source]) => ({
    subpath,
    file: subpath === '.' ? 'index' : subpath.slice(2),
    source: join('libs/plugin', source),
  }));
  const sources = Object.fromEntries(entries.map(({ file, source }) => [file, source]));
  const imported = await bundleEntries(root, sources, folder);
  await writeDeclarations(root, Object.values(sources), libraries, join(folder, 'types'));
  const published = {
    name,
    version: release ?? version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: Object.fromEntries(
      entries.map(({ subpath, file, source }) => [
        subpath,
        { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./${file}.mjs` },
      ]),
    ),
    dependencies: Object.fromEntries(imported.map((one) => [one, versionOf(one, libraries)])),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await cp(join(root, 'docs', 'plugin-guide.md'), join(folder, 'README.md'));
  return packFolder(root, folder);
}

/** Creates the package `create-lateen-plugin` in `folder`, with the same version. @returns the path of its tarball */
export async function packCreatePlugin(root: string, folder: string, release?: string): Promise<string> {
  const home = join(root, 'tools', 'create-lateen-plugin');
  const { name, version, description } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as Manifest;
  await bundleEntries(root, { main: 'tools/create-lateen-plugin/src/main.ts' }, join(folder, 'dist'));
  await cp(join(home, 'template'), join(folder, 'template'), { recursive: true });
  const bin = { [name]: './dist/main.mjs' };
  const published = { name, version: release ?? version, description, license, type: 'module', engines, bin };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  const main = join(folder, 'dist', 'main.mjs');
  await writeFile(main, `#!/usr/bin/env node\n${await readFile(main, 'utf8')}`);
  return packFolder(root, folder);
}

function versionOf(dependency: string, libraries: ReadonlyMap<string, Manifest>): string {
  for (const { dependencies = {} } of libraries.values()) {
    const found = dependencies[dependency];
    if (found !== undefined) return found;
  }
  throw new Error(`no library of the package depends on ${dependency}`);
}

/** Packs a folder that has a package.json, with the LICENSE of the workspace. @returns the path of the tarball in the folder */
export async function packFolder(root: string, folder: string): Promise<string> {
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const { stdout } = await execa('npm', ['pack', '--silent'], { cwd: folder });
  return join(folder, stdout.trim());
}
