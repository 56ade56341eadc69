import { describeError } from '@lateen/errors';
import { everyPart, type ManifestPart, type RenderOptions } from '@lateen/manifests';
import { Command, Option } from 'commander';
import { dump } from 'js-yaml';
import { renderManifests } from './render-manifests.ts';

const program = new Command('deploy').description('Prints the Kubernetes manifests of Lateen');

program
  .command('render')
  .description('print the objects as YAML, in the order in which they have to be applied')
  .addOption(new Option('--part <name...>', 'only these parts').choices(everyPart))
  .option('--image <name>', 'image of Lateen (default: localhost/lateen:dev)')
  .option('--sidecar-image <name>', 'image of the CSI sidecars (default: localhost/lateen-sidecars:dev)')
  .option('--namespace <name>', 'namespace of the installation (default: velero)')
  .addOption(new Option('--log-level <level>').choices(['debug', 'info', 'warn', 'error']))
  .option('--kubelet-dir <path>', 'root directory of the kubelet on the nodes (default: /var/lib/kubelet)')
  .option('--csi-state-dir <path>', 'directory on each node that stores its volumes (default: /var/lib/lateen-csi)')
  .option('--no-csi-resizer', 'without csi-resizer: volumes cannot be expanded')
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
