import { backupStorageLocationAccessModes } from '@lateen/api-types';
import type { Command } from 'commander';
import { collectPairs } from '../collect-pairs.ts';
import { completedOption } from '../completion/completion.ts';

/** The flags that `create` and `set` share, except `--default`. Only what is created has defaults. */
export function withUseFlags(command: Command, { creates = false } = {}): Command {
  const byDefault = (value: string): string => (creates ? ` (default: ${value})` : '');
  return command
    .option(
      '--credential <secret=key>',
      `Secret of this namespace and the key in it that holds the credentials${byDefault('those of the installation')}`,
      collectPairs,
    )
    .option('--config <key=value,…>', 'settings of the provider, such as region and s3Url', collectPairs)
    .option('--cacert <file>', 'PEM file of certificate authorities to trust for the provider')
    .option('--cacert-secret <secret=key>', 'the same, from a Secret of this namespace', collectPairs)
    .addOption(
      completedOption(
        '--access-mode <mode>',
        `ReadWrite or ReadOnly${byDefault('ReadWrite')}`,
        backupStorageLocationAccessModes,
      ),
    )
    .option('--backup-sync-period <duration>', 'how often to look for backups made elsewhere; 0s: never')
    .option('--validation-frequency <duration>', 'how often to check that the location can be reached; 0s: never')
    .option(
      '--upload-limit <quantity>',
      'bytes per second that each mover sends to it at most, such as 10Mi; 0: no limit',
    )
    .option('--download-limit <quantity>', 'the same for what each mover reads from it');
}
