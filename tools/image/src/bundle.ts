import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { loadManifests } from '@lateen/manifests';
import { build, formatMessages } from 'esbuild';
import type { ImageApp } from './apps.ts';

export interface Bundle {
  app: ImageApp;
  /** The file, executable by the Node of the image. */
  contents: Uint8Array;
  /** Every source that went into it, relative to the workspace. */
  inputs: readonly string[];
}

/**
 * The kernel starts the file with the image's Node. Bundles are ES modules, for the apps await at the top level; the
 * CommonJS packages inside them still call `require` and `__dirname`.
 */
const bannerFor = ({
  nodeFlag,
}: ImageApp): string => `#!/usr/local/bin/node${nodeFlag === undefined ? '' : ` ${nodeFlag}`}
import { createRequire as createRequireForBundle } from 'node:module';
const require = createRequireForBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/**
 * One app as one file, checked against its limits. Names are kept, so that stack traces can be read.
 * @param entry default: `apps/<name>/src/main.ts` of the workspace
 * @throws BUNDLE_APP_MISSING, BUNDLE_FAILED with esbuild's messages, BUNDLE_TOO_HEAVY naming package or limit
 */
export async function bundle(app: ImageApp, root: string, entry = entryOf(app, root)): Promise<Bundle> {
  await access(entry).catch((cause: unknown) => {
    throw new AppError('BUNDLE_APP_MISSING', `apps/${app.name} cannot be bundled: ${entry} is not there`, {
      cause,
      nextStep: 'Every program of the image starts in src/main.ts of its app.',
    });
  });
  const result = await runEsbuild(app, root, entry);
  const contents = result.outputFiles[0]?.contents ?? new Uint8Array();
  const made = { app, contents, inputs: Object.keys(result.metafile.inputs) };
  checkWeight(made);
  return made;
}

const entryOf = (app: ImageApp, root: string): string => join(root, 'apps', app.name, 'src', 'main.ts');

async function runEsbuild(app: ImageApp, root: string, entry: string) {
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
      define: app.carriesManifests ? { LATEEN_MANIFESTS: JSON.stringify(await manifestsText(root)) } : {},
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      logLevel: 'silent',
    });
  } catch (error) {
    const messages = await formatMessages(messagesOf(error), { kind: 'error' });
    // No cause: esbuild's error repeats these messages in one line.
    throw new AppError('BUNDLE_FAILED', `apps/${app.name} cannot be bundled:\n${messages.join('').trim()}`);
  }
}

/** deploy/ as `lateen install` reads it when there is no checkout around it (apps/cli/src/install/bundled-manifests.ts). */
const manifestsText = async (root: string): Promise<string> =>
  JSON.stringify(await loadManifests(join(root, 'deploy')));

function messagesOf(error: unknown): { text: string }[] {
  const found = error instanceof Error && 'errors' in error ? error.errors : undefined;
  return Array.isArray(found) ? found : [{ text: String(error) }];
}

function checkWeight({ app, contents, inputs }: Bundle): void {
  for (const name of app.forbidden) {
    const found = inputs.find((input) => input.includes(`node_modules/${name}/`));
    if (found !== undefined)
      throw new AppError(
        'BUNDLE_TOO_HEAVY',
        `apps/${app.name} must not contain ${name}, but ${found} is in its bundle`,
        {
          nextStep: `Find the import with: npx esbuild apps/${app.name}/src/main.ts --bundle --platform=node --analyze --outfile=/dev/null`,
        },
      );
  }
  if (contents.length > app.bytesMax)
    throw new AppError(
      'BUNDLE_TOO_HEAVY',
      `the bundle of apps/${app.name} has ${contents.length} bytes, its limit is ${app.bytesMax}`,
      { nextStep: 'Find what grew, or raise bytesMax in tools/image/src/apps.ts on purpose.' },
    );
}
