import { AppError } from '@lateen/errors';
import { build } from 'esbuild';
import { isOurs } from './workspace-packages.ts';

/**
 * Bundles each entry into one ESM file with the code of the workspace. Packages from a registry stay imports.
 * @param entries source file, relative to `root`, by the name of its file in `outdir`
 * @returns the names of imported packages
 * @throws PACKAGE_TOO_WIDE when one of them is a package that a plugin must not have to install
 */
export async function bundleEntries(
  root: string,
  entries: Readonly<Record<string, string>>,
  outdir: string,
): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: entries,
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    plugins: [
      {
        name: 'registry-packages-stay-imports',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || isOurs(path) || path.startsWith('node:') ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const imported = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => packageOf(path)))
    .filter((name) => !name.startsWith('node:'));
  const names = [...new Set(imported)].sort();
  const unwanted = names.filter((name) => tooWide.has(name));
  if (unwanted.length > 0) {
    throw new AppError(
      'PACKAGE_TOO_WIDE',
      `the package would need ${unwanted.join(', ')}, which only exists in this workspace`,
      {
        nextStep: 'Import less of the library that brings it in.',
      },
    );
  }
  return names;
}

/** Test runners and bundlers: authors of plugins choose their own. */
const tooWide = new Set(['vitest', 'esbuild', 'execa']);

const packageOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/');
