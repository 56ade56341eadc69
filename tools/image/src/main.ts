import { describeError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { checkoutCommit } from '@lateen/manifests';
import { Command, Option } from 'commander';
import { type ImageName, imageNames } from './apps.ts';
import {
  type BuildStorageImageOptions,
  type BuiltImage,
  buildImage,
  buildStorageImage,
  imageTag,
  storageImageTag,
} from './build-image.ts';
import { bundleApps, root, writeBundleLayer } from './bundle-layer.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));

interface Commit {
  commit?: string;
}
const commitHelp = 'what "lateen version" says it is built from (default: what git says of this checkout)';
const commitOr = async (given: string | undefined) => given || (await checkoutCommit(root, process.env, systemClock));

interface BuildFlags extends Commit {
  output?: string;
  tag: string;
  app?: string[];
}

async function build(
  { output, tag, app, commit }: BuildFlags,
  make: (common: BuildStorageImageOptions) => Promise<BuiltImage>,
) {
  const startMs = systemClock.monotonicMs();
  const progress = (text: string) => process.stderr.write(`image: ${text}\n`);
  const built = await make({
    tag,
    progress,
    signal: stop.signal,
    commit: await commitOr(commit),
    ...(output === undefined ? {} : { output }),
    ...(app === undefined ? {} : { apps: app }),
  });
  for (const [name, bytes] of Object.entries(built.bundleBytes)) progress(`${name}: ${Math.ceil(bytes / 1024)} KiB`);
  progress(`done in ${((systemClock.monotonicMs() - startMs) / 1000).toFixed(1)} s`);
  process.stdout.write(`${built.archive} ${built.digest}\n`);
}

const program = new Command('image').description("Builds Lateen's OCI image without a registry");

program
  .command('build')
  .description('write the image as an OCI archive and print its path and digest')
  .requiredOption('--kopia <path>', 'kopia program for the image: statically linked, for linux/amd64')
  .option('--output <file>', 'path of the archive (default: in the cache directory)')
  .option('--tag <name>', 'name of the image', imageTag)
  .option('--app <name...>', 'put only these apps into the image, which is faster while you work on one of them')
  .option('--commit <id>', commitHelp)
  .addHelpText(
    'after',
    `
Examples:
  $ node tools/image/src/main.ts build --kopia ./kopia --output lateen.tar
  $ ctr -n k8s.io images import lateen.tar

Layers are cached in \${LATEEN_CACHE:-\${XDG_CACHE_HOME:-~/.cache}/lateen}/image.`,
  )
  .action((options: BuildFlags & { kopia: string }) =>
    build(options, (common) => buildImage({ ...common, kopia: options.kopia })),
  );

program
  .command('build-storage')
  .description(
    'write the image of replicated volumes as an OCI archive: instance manager, qemu-storage-daemon and nbdfuse',
  )
  .option('--output <file>', 'path of the archive (default: in the cache directory)')
  .option('--tag <name>', 'name of the image', storageImageTag)
  .option('--app <name...>', 'put only these apps into the image, which is faster while you work on one of them')
  .option('--commit <id>', commitHelp)
  .action((options: BuildFlags) => build(options, buildStorageImage));

program
  .command('bundle')
  .description('write only the layer with the code of Lateen, compiled for the version of Node that runs this command')
  .requiredOption('--output <file>', 'path of the tar file')
  .addOption(new Option('--image <name>', 'image whose layer is written').choices(imageNames).default('lateen'))
  .option('--commit <id>', commitHelp)
  .addHelpText(
    'after',
    `
Example, as deploy/images/Containerfile does it:
  $ node tools/image/src/main.ts bundle --output bundles.tar && tar -C / -xf bundles.tar`,
  )
  .action(async ({ output, image, commit }: Commit & { output: string; image: ImageName }) => {
    const bundles = await bundleApps({ image, commit: await commitOr(commit) });
    await writeBundleLayer({ bundles, node: process.execPath, output, signal: stop.signal });
  });

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`image: ${describeError(error)}\n`);
  process.exitCode = 1;
});
