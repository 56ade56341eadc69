import { describeError } from '@lateen/errors';
import { everyPart, type ManifestPart, type RenderOptions } from '@lateen/manifests';
import { Command, Option } from 'commander';
import { dump } from 'js-yaml';
import { renderManifests } from './render-manifests.ts';

const program = new Command('deploy').description('The manifests of Lateen for one cluster');

program
  .command('render')
  .description('print the objects as YAML, in the order in which they are to be applied')
  .addOption(new Option('--part <name...>', 'only these parts').choices(everyPart))
  .option('--image <name>', 'instead of localhost/lateen:dev')
  .option('--sidecar-image <name>', 'instead of localhost/lateen-sidecars:dev')
  .option('--namespace <name>', 'instead of velero')
  .addOption(new Option('--log-level <level>').choices(['debug', 'info', 'warn', 'error']))
  .option('--kubelet-dir <path>', "the nodes' kubelet root directory, if not /var/lib/kubelet")
  .option('--csi-state-dir <path>', 'where volumes are kept on a node, if not /var/lib/lateen-csi')
  .option('--no-csi-resizer', 'leave csi-resizer out')
  .addHelpText(
    'after',
    `
Examples:
  $ node tools/deploy/src/main.ts render --image registry.example/lateen:0.1 | kubectl apply --server-side -f -
  $ node tools/deploy/src/main.ts render --part csi --kubelet-dir /srv/kubelet`,
  )
  .action(async ({ part, kubeletDir, csiStateDir, ...rest }: RenderFlags) => {
    const nodes =
      kubeletDir === undefined && csiStateDir === undefined
        ? []
        : [
            {
              name: 'any',
              kubeletDir: kubeletDir ?? '/var/lib/kubelet',
              csiStateDir: csiStateDir ?? '/var/lib/lateen-csi',
            },
          ];
    const objects = await renderManifests({ ...rest, nodes, ...(part === undefined ? {} : { parts: part }) });
    process.stdout.write(objects.map((object) => dump(object, { noRefs: true })).join('---\n'));
  });

interface RenderFlags extends Omit<RenderOptions, 'nodes' | 'parts'> {
  part?: ManifestPart[];
  kubeletDir?: string;
  csiStateDir?: string;
}

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`deploy: ${describeError(error)}\n`);
  process.exitCode = 1;
});
