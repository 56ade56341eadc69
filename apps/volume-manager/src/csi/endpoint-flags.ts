import { AppError } from '@lateen/errors';
import { socketPathOf } from '@lateen/grpc';
import { checkTargetPath } from '@lateen/volume';
import type { Command, OptionValues } from 'commander';

/** The sockets of a driver. */
export interface CsiEndpoint {
  endpoint: string;
  registration?: { endpointPath: string; directory: string };
}

export function addEndpointFlags(command: Command): Command {
  return command
    .option('--endpoint <unix socket>', 'where CSI is served, for example unix:///csi/csi.sock')
    .option('--kubelet-registration-path <path>', "the endpoint's socket as kubelet sees it on the host")
    .option('--plugin-registration-dir <directory>', 'where kubelet looks for plugins to register');
}

/** @throws AppError `USAGE` naming the flag */
export function csiEndpoint(flags: OptionValues): CsiEndpoint {
  const endpoint = requiredFlag('--endpoint', flags.endpoint);
  socketPathOf(endpoint);
  const { kubeletRegistrationPath: path, pluginRegistrationDir: directory } = flags;
  if ((path === undefined) !== (directory === undefined)) {
    throw new AppError('USAGE', '--kubelet-registration-path and --plugin-registration-dir belong together');
  }
  if (path === undefined) return { endpoint };
  return {
    endpoint,
    registration: {
      endpointPath: checkTargetPath(path, '--kubelet-registration-path'),
      directory: checkTargetPath(directory, '--plugin-registration-dir'),
    },
  };
}

/** @throws AppError `USAGE` when it is missing or empty */
export function requiredFlag(flag: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new AppError('USAGE', value === '' ? `${flag} is empty` : `${flag} is missing`);
}

/** CSI's own bound. */
const nodeIdBytesMax = 192;

/** @throws AppError `USAGE` for a name that no node can have */
export function nodeIdOf(text: unknown): string {
  const nodeId = requiredFlag('--node-id', text);
  if (Buffer.byteLength(nodeId) <= nodeIdBytesMax) return nodeId;
  throw new AppError('USAGE', `--node-id must have 1 to ${nodeIdBytesMax} bytes`);
}
