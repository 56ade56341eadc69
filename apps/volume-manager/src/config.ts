import { AppError } from '@lateen/errors';
import { socketPathOf } from '@lateen/grpc';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '@lateen/kernel';
import { checkTargetPath } from '@lateen/volume';
import { Command, CommanderError, Option } from 'commander';
import { driverVersion } from './driver-name.ts';

export interface Config {
  endpoint: string;
  nodeId: string;
  stateDirectory: string;
  registration?: { endpointPath: string; directory: string };
  logFormat: LogFormat;
  logLevel: LogLevel;
  /** Copies plainly even where the file system has reflink. */
  dropReflink: boolean;
}

interface Flags {
  endpoint: string;
  nodeId: string;
  stateDir: string;
  kubeletRegistrationPath?: string;
  pluginRegistrationDir?: string;
  logFormat: LogFormat;
  logLevel: LogLevel;
  dropReflink?: boolean;
}

const nodeIdBytesMax = 192;

/**
 * Reads the command line (without the program's name).
 * @throws AppError `USAGE` with the sentence to print; its details tell whether help or the version was asked for.
 */
export function readConfig(args: readonly string[]): Config {
  const flags = parse(args);
  if (Buffer.byteLength(flags.nodeId) > nodeIdBytesMax || flags.nodeId === '') {
    throw usage(`--node-id must have 1 to ${nodeIdBytesMax} bytes`);
  }
  const { kubeletRegistrationPath, pluginRegistrationDir } = flags;
  if ((kubeletRegistrationPath === undefined) !== (pluginRegistrationDir === undefined)) {
    throw usage('--kubelet-registration-path and --plugin-registration-dir belong together');
  }
  return checked(() => {
    socketPathOf(flags.endpoint);
    return {
      endpoint: flags.endpoint,
      nodeId: flags.nodeId,
      stateDirectory: checkTargetPath(flags.stateDir, '--state-dir'),
      logFormat: flags.logFormat,
      logLevel: flags.logLevel,
      dropReflink: flags.dropReflink ?? false,
      ...(kubeletRegistrationPath === undefined || pluginRegistrationDir === undefined
        ? {}
        : {
            registration: {
              endpointPath: checkTargetPath(kubeletRegistrationPath, '--kubelet-registration-path'),
              directory: checkTargetPath(pluginRegistrationDir, '--plugin-registration-dir'),
            },
          }),
    };
  });
}

function parse(args: readonly string[]): Flags {
  let output = '';
  const command = new Command('lateen-volume-manager')
    .description('CSI driver csi.lateen.dev: volumes and snapshots as sparse files on this node')
    .version(driverVersion)
    .requiredOption('--endpoint <unix socket>', 'where CSI is served, for example unix:///csi/csi.sock')
    .requiredOption('--node-id <name>', 'the name of this node')
    .requiredOption('--state-dir <directory>', 'where volumes and their records live; XFS for instant snapshots')
    .option('--kubelet-registration-path <path>', "the endpoint's socket as kubelet sees it on the host")
    .option('--plugin-registration-dir <directory>', 'where kubelet looks for plugins to register')
    .addOption(new Option('--log-format <format>', logFormats.join(' or ')).choices(logFormats).default('json'))
    .addOption(new Option('--log-level <level>', logLevels.join(', ')).choices(logLevels).default('info'))
    .option('--drop-reflink', 'copy plainly even where the file system has reflink (for tests)')
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({ writeOut: (text) => (output += text), writeErr: (text) => (output += text) });
  try {
    return command.parse([...args], { from: 'user' }).opts<Flags>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new AppError('USAGE', output.trim(), { details: { isAnswer: error.exitCode === 0 } });
  }
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

const usage = (message: string) => new AppError('USAGE', `error: ${message}`, { details: { isAnswer: false } });
