import { volumeSnapshotLocationType } from '@lateen/api-types';
import { findObject, parseObjectName } from '@lateen/operations/noun';
import { snapshotLocationNoun } from '@lateen/operations/snapshot-location';
import { Command } from 'commander';
import { secretWarnings } from '../backup-location/location-warnings.ts';
import { parseSecretKey } from '../backup-location/parse-secret-key.ts';
import { collectPairs } from '../collect-pairs.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { snapshotLocationNames } from '../completion/object-names.ts';
import { badFlag } from '../refuse-flag.ts';

/** `lateen snapshot-location set NAME` (cli.md section 10) */
export function snapshotLocationSetCommand(context: CommandContext): Command {
  return new Command('set')
    .description('Change the credentials of a volume snapshot location')
    .addArgument(completedArgument('<name>', 'name of the location', snapshotLocationNames))
    .option(
      '--credential <secret=key>',
      'Secret of this namespace and the key in it with the credentials',
      collectPairs,
    )
    .addHelpText('after', '\nExamples:\n  lateen snapshot-location set ebs --credential aws-2=cloud')
    .action(async (text: string, flags: { credential?: string }, self: Command) => {
      const { namespace, ...global } = self.optsWithGlobals<GlobalOptions>();
      const key = { namespace, name: parseObjectName(snapshotLocationNoun, text) };
      if (flags.credential === undefined)
        throw badFlag('no setting was given', 'Give --credential; see lateen snapshot-location set --help.');
      const credential = parseSecretKey('--credential', flags.credential);
      const { signal, stdout, stderr } = context;
      const kube = await context.connect({ ...global, namespace });
      await findObject(kube, snapshotLocationNoun, key, signal);
      for (const warning of await secretWarnings(kube, namespace, [credential], signal))
        stderr.write(`WARNING: ${warning}\n`);
      await kube.patch(volumeSnapshotLocationType, key, { type: 'merge', body: { spec: { credential } } }, { signal });
      stdout.write(`Snapshot volume location "${key.name}" configured successfully.\n`);
    });
}
