import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { loadManifests } from '@lateen/manifests';
import { build, formatMessages, type Plugin } from 'esbuild';
import type { ImageApp, ImageWorker } from './apps.ts';
import { type Release, releaseConstant } from './release.ts';

export interface Bundle {
  app: ImageApp;
  /** File name without `.mjs`: that of the app, or of one of its workers. */
  name: string;
  /** The file, which the Node of the image can execute. */
  contents: Uint8Array;
  /** Every source file in it, relative to the workspace. */
  inputs: readonly string[];
}

/**
 * The kernel starts the file with the image's Node. Bundles are ES modules, because the apps use await at the top level; the CommonJS
 * packages in them still call `require` and `__dirname`.
 */
const bannerFor = ({
  nodeFlag,
}: ImageApp): string => `#!/usr/local/bin/node${nodeFlag === undefined ? '' : ` ${nodeFlag}`}
import { createRequire as createRequireForBundle } from 'node:module';
const require = createRequireForBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

export interface BundleOptions {
  /** Default: `apps/<name>/src/main.ts` of the workspace, for a worker `apps/<name>/src/<worker>.ts`. */
  entry?: string;
  /** The program of the app's worker threads, in place of the app. */
  worker?: ImageWorker | undefined;
  /** The commit, for programs that print it. Without it the same sources give the same bytes. */
  commit?: string | undefined;
  /** The release, for programs that print it and install its images. */
  release?: Release | undefined;
}

/**
 * Bundles one app into one file, and checks its limits. Names are kept, so that stack traces are readable.
 * @throws BUNDLE_APP_MISSING, BUNDLE_FAILED with esbuild's messages, BUNDLE_TOO_HEAVY naming package or limit
 */
export async function bundle(
  app: ImageApp,
  root: string,
  { worker, entry = entryOf(app, root, worker), commit = '', release }: BundleOptions = {},
): Promise<Bundle> {
  await access(entry).catch((cause: unknown) => {
    throw new AppError('BUNDLE_APP_MISSING', `apps/${app.name} cannot be bundled: ${entry} is not there`, {
      cause,
      nextStep: 'Every program of the image starts in src/main.ts of its app, its worker threads in a file beside it.',
    });
  });
  const result = await runEsbuild(app, root, entry, { commit, release });
  const contents = result.outputFiles[0]?.contents ?? new Uint8Array();
  const made = { app, name: worker?.name ?? app.name, contents, inputs: Object.keys(result.metafile.inputs) };
  checkWeight(made, { ...app, ...worker });
  return made;
}

const entryOf = (app: ImageApp, root: string, worker: ImageWorker | undefined): string =>
  join(root, 'apps', app.name, 'src', `${worker?.name ?? 'main'}.ts`);

async function runEsbuild(
  app: ImageApp,
  root: string,
  entry: string,
  { commit, release }: { commit: string; release: Release | undefined },
) {
  try {
    return await build({
      entryPoints: [entry],
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      banner: { js: bannerFor(app) },
      define: { ...releaseConstant(release), ...(app.forPeople ? await constantsFor(root, commit) : {}) },
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      logLevel: 'silent',
      plugins: [nativeAddons],
    });
  } catch (error) {
    const messages = await formatMessages(messagesOf(error), { kind: 'error' });
    // No cause: esbuild's error has the same messages in one line.
    throw new AppError('BUNDLE_FAILED', `apps/${app.name} cannot be bundled:\n${messages.join('').trim()}`);
  }
}

/**
 * Includes native addons in the bundle, which is one file. The system's loader accepts only files, so an addon is written to the folder for
 * temporary files, loaded, and deleted; it stays loaded.
 */
const nativeAddons: Plugin = {
  name: 'native-addons',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.node$/ }, async ({ path }) => {
      const addon = JSON.stringify((await readFile(path)).toString('base64'));
      const contents = `const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const directory = mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'lateen-addon-'));
try {
  const file = require('node:path').join(directory, 'addon.node');
  writeFileSync(file, Buffer.from(${addon}, 'base64'), { mode: 0o700 });
  process.dlopen(module, file);
} finally {
  rmSync(directory, { recursive: true, force: true });
}`;
      return { contents, loader: 'js' };
    });
  },
};

/** The parts of the checkout that `lateen` needs when it runs without one (apps/cli: install/bundled-manifests.ts, build-commit.ts). */
export const constantsFor = async (root: string, commit: string): Promise<Record<string, string>> => ({
  LATEEN_MANIFESTS: JSON.stringify(JSON.stringify(await loadManifests(join(root, 'deploy')))),
  LATEEN_COMMIT: JSON.stringify(commit),
});

function messagesOf(error: unknown): { text: string }[] {
  const found = error instanceof Error && 'errors' in error ? error.errors : undefined;
  return Array.isArray(found) ? found : [{ text: String(error) }];
}

function checkWeight(
  { app, name, contents, inputs }: Bundle,
  { bytesMax, forbidden }: Pick<ImageApp, 'bytesMax' | 'forbidden'>,
): void {
  for (const banned of forbidden) {
    const found = inputs.find((input) => input.includes(`node_modules/${banned}/`));
    if (found !== undefined)
      throw new AppError(
        'BUNDLE_TOO_HEAVY',
        `${name} of apps/${app.name} must not contain ${banned}, but ${found} is in its bundle`,
        {
          nextStep: `Find the import with: npx esbuild apps/${app.name}/src/main.ts --bundle --platform=node --analyze --outfile=/dev/null`,
        },
      );
  }
  const oddAt = contents.findIndex((byte) => byte > 0x7f);
  if (oddAt >= 0) {
    const before = Buffer.from(contents.subarray(Math.max(0, oddAt - 40), oddAt)).toString('latin1');
    // V8 keeps the whole source, with two bytes per character if any character needs them.
    throw new AppError(
      'BUNDLE_TOO_HEAVY',
      `${name} of apps/${app.name} is not ASCII behind ${JSON.stringify(before)}`,
      {
        nextStep:
          'Write the character of that regular expression as \\uXXXX: with it the source takes twice the memory.',
      },
    );
  }
  if (contents.length > bytesMax)
    throw new AppError(
      'BUNDLE_TOO_HEAVY',
      `the bundle ${name} of apps/${app.name} has ${contents.length} bytes, its limit is ${bytesMax}`,
      { nextStep: 'Find out what has grown. If that is wanted, raise bytesMax in tools/image/src/apps.ts.' },
    );
}
