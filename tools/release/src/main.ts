import { resolve } from 'node:path';
import { streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { Command } from 'commander';
import { makeRelease, root } from './make-release.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));

const program = new Command('npm run release --')
  .description('Make all files of a release: images, Helm chart, manifests, packages for npm, SBOM, checksums')
  .argument('<version>', 'for example 1.2.0 or 1.3.0-rc.1')
  .option('--output <folder>', 'folder for the files; it must be empty or not exist (default: dist/VERSION)')
  .option('--repository <name>', 'repository of the images in a registry, without a tag', 'localhost/lateen')
  .addHelpText(
    'after',
    `
Nothing is uploaded. The images are named REPOSITORY:VERSION, REPOSITORY-storage:VERSION and REPOSITORY-sidecars:VERSION, and chart, manifests and
the command line install these names.

Examples:
  $ npm run release -- 1.2.0 --repository registry.example.io/lateen/lateen
  $ skopeo copy oci-archive:dist/1.2.0/lateen-1.2.0-image.tar docker://registry.example.io/lateen/lateen:1.2.0
  $ npm install --global ./dist/1.2.0/lateen-cli-1.2.0.tgz`,
  )
  .showHelpAfterError()
  .action(async (version: string, { output, repository }: { output?: string; repository: string }) => {
    const folder = resolve(output ?? `${root}/dist/${version}`);
    const progress = streamProgress(process.stderr, systemClock);
    const files = await makeRelease({ version, repository, folder, progress, signal: stop.signal });
    process.stdout.write(`${files.map((file) => `${folder}/${file}`).join('\n')}\n`);
  });

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`release: ${describeError(error)}\n`);
  process.exitCode = 1;
});
