import { type VolumeSnapshotLocation, volumeSnapshotLocationType } from '@lateen/api-types';
import { parseObjectName } from '@lateen/operations/noun';
import { snapshotLocationNoun } from '@lateen/operations/snapshot-location';
import { Command } from 'commander';
import { secretWarnings } from '../backup-location/location-warnings.ts';
import { configFlag, parseConfig } from '../backup-location/parse-config.ts';
import { parseProvider } from '../backup-location/parse-place.ts';
import { parseSecretKey } from '../backup-location/parse-secret-key.ts';
import { collectPairs } from '../collect-pairs.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { parseLabels } from '../parse-labels.ts';
import { snapshotLocationColumns } from './snapshot-location-columns.ts';

interface Flags extends Partial<ListFlags> {
  provider?: string;
  config?: string;
  labels?: string;
  credential?: string;
}

const examples = `
Examples:
  lateen snapshot-location create ebs --provider aws --config region=eu-west-1
  lateen snapshot-location create disks --provider azure --credential azure=cloud --labels team=shop`;

/** `lateen snapshot-location create NAME` (cli.md section 10) */
export function snapshotLocationCreateCommand(context: CommandContext, name = 'create'): Command {
  const command = new Command(name)
    .description('Create a volume snapshot location')
    .argument('<name>', 'name of the location')
    .option('--provider <name>', 'provider of the volumes, such as aws; required')
    .option('--config <key=value,…>', 'settings of the provider, such as region', collectPairs)
    .option('--labels <key=value,…>', 'labels of the location', collectPairs)
    .option(
      '--credential <secret=key>',
      'Secret of this namespace and the key in it with the credentials',
      collectPairs,
    );
  return withListFlags(command, { creates: true })
    .addHelpText('after', examplesAs(examples, 'snapshot-location create', name))
    .action(async (text: string, flags: Flags, self: Command) => {
      const { namespace, ...global } = self.optsWithGlobals<GlobalOptions>();
      const { stdout, stderr, signal } = context;
      const location = locationOf(text, namespace, flags);
      const { output } = flags;
      const print = listPrinter(snapshotLocationColumns, { ...flags, output: output ?? 'table' });
      if (output !== undefined) {
        stdout.write(print([location], { asList: false }));
        return;
      }
      const kube = await context.connect({ ...global, namespace });
      for (const warning of await secretWarnings(kube, namespace, [location.spec.credential], signal))
        stderr.write(`WARNING: ${warning}\n`);
      const { metadata } = await kube.create(volumeSnapshotLocationType, location, { signal });
      stdout.write(`Snapshot volume location "${metadata.name}" configured successfully.\n`);
    });
}

/** @throws AppError BAD_FLAG, BAD_ARGUMENT */
function locationOf(text: string, namespace: string, flags: Flags): VolumeSnapshotLocation {
  const { config, labels, credential } = flags;
  return {
    apiVersion: 'velero.io/v1',
    kind: 'VolumeSnapshotLocation',
    metadata: {
      name: parseObjectName(snapshotLocationNoun, text),
      namespace,
      ...(labels === undefined ? {} : { labels: parseLabels(labels) }),
    },
    spec: {
      provider: parseProvider(flags.provider),
      ...(config === undefined ? {} : { config: parseConfig(config, configFlag) }),
      ...(credential === undefined ? {} : { credential: parseSecretKey('--credential', credential) }),
    },
  };
}
