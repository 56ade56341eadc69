import { AppError } from '@lateen/errors';
import { parseServerFlags, programCommand } from '@lateen/process/server';
import { driverVersion } from './driver-name.ts';
import { type LocalConfig, localCommand, localConfig } from './local/local-config.ts';
import {
  type LocalMetadataConfig,
  localMetadataCommand,
  localMetadataConfig,
} from './local-metadata/local-metadata-config.ts';
import { type ManagerConfig, managerCommand, managerConfig } from './manager/manager-config.ts';
import { type CsiConfig, csiCommand, csiConfig } from './replicated/csi-config.ts';

/** What the process is: one of four programs. */
export type Invocation =
  | { command: 'local'; config: LocalConfig }
  | { command: 'metadata'; config: LocalMetadataConfig }
  | { command: 'csi'; config: CsiConfig }
  | { command: 'manager'; config: ManagerConfig };

const commands: readonly string[] = ['local', 'metadata', 'csi', 'manager', 'help'];

const examples = `
Examples:
  # Volumes as files of this node (the command may be left out)
  lateen-volume-manager local --endpoint unix:///csi/csi.sock --node-id node-1 --state-dir /var/lib/lateen-csi

  # Once in the cluster, beside the sidecar csi-snapshot-metadata: asks the nodes for blocks of snapshots of such volumes
  lateen-volume-manager metadata --endpoint unix:///csi/csi.sock --metadata-service lateen-csi-metadata

  # The controllers of replicated volumes, as the manager of this node
  lateen-volume-manager manager --node node-1

  # CSI for replicated volumes: on each node, and once more beside the sidecars of the cluster
  lateen-volume-manager csi --mode node --endpoint unix:///csi/csi.sock --node-id node-1
  lateen-volume-manager csi --mode controller --endpoint unix:///csi/csi.sock --node-id node-1
`;

/**
 * Reads the command line (without the program's name). No command is `local`. `--help` and `--version` print and throw a CommanderError
 * with exit code 0, which `serverExitCode` knows.
 * @throws AppError `USAGE` naming the flag
 */
export function readCommandLine(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Invocation {
  const [word = ''] = argv;
  // Checked here, because commander would report an extra argument of the default command.
  if (!word.startsWith('-') && word !== '' && !commands.includes(word)) {
    throw new AppError('USAGE', `unknown command "${word}"`, { nextStep: 'See lateen-volume-manager --help.' });
  }
  let chosen: Invocation | undefined;
  const local = localCommand().action((flags) => {
    chosen = { command: 'local', config: localConfig(flags) };
  });
  const metadata = localMetadataCommand(environment).action((flags) => {
    chosen = { command: 'metadata', config: localMetadataConfig(flags, environment) };
  });
  const csi = csiCommand(environment).action((flags) => {
    chosen = { command: 'csi', config: csiConfig(flags, environment) };
  });
  const manager = managerCommand(environment).action((flags) => {
    chosen = { command: 'manager', config: managerConfig(flags, environment) };
  });
  const program = programCommand('lateen-volume-manager', 'Volumes of blocks: their CSI drivers and their manager.')
    .version(driverVersion)
    .addHelpText('after', examples)
    .addCommand(local, { isDefault: true })
    .addCommand(metadata)
    .addCommand(csi)
    .addCommand(manager);
  parseServerFlags(program, argv);
  if (chosen === undefined) throw new TypeError('no command was chosen: the default one is missing');
  return chosen;
}
