import { AppError } from '@lateen/errors';
import type { ExecuteOptions, Qmp } from '../qmp/qmp.ts';
import type { QemuVersion } from '../qmp/qmp-message.ts';
import { QmpSchema } from './qmp-schema.ts';

/** What our commands use, by command: arguments, after a colon those of one variant. */
export const usedByUs = {
  'blockdev-add': [
    ...['node-name', 'driver', 'read-only', 'discard', 'detect-zeroes'],
    ...['qcow2:file', 'qcow2:backing', 'qcow2:l2-cache-size', 'qcow2:cache-clean-interval'],
    ...['file:filename', 'file:aio', 'cache.direct'],
  ],
  'blockdev-del': ['node-name'],
  'blockdev-snapshot': ['node', 'overlay'],
  'block-commit': ['job-id', 'device', 'top-node', 'base-node', 'speed', 'backing-file', 'auto-dismiss'],
  block_resize: ['node-name', 'size'],
  'block-export-add': ['type', 'id', 'node-name', 'writable', 'iothread', 'nbd:name', 'nbd:allocation-depth'],
  'block-export-del': ['id', 'mode'],
  'nbd-server-start': ['addr', 'max-connections'],
  'nbd-server-stop': [],
  'job-cancel': ['id'],
  'job-complete': ['id'],
  'job-dismiss': ['id'],
  'query-jobs': [],
  'query-block-exports': [],
  'query-named-block-nodes': ['flat'],
  quit: [],
} as const satisfies Record<string, readonly string[]>;

/** Releases that our tests have run with; others are taken when they have what we use. */
export const testedReleases: readonly string[] = ['7.2', '10.0'];
const oldest = { major: 7, minor: 2 };
/** The first major release that is not known to answer few requests a second over TCP: 7.2 answers some 500, however many are under way. */
const quickOverTcp = 8;
/** The first major release whose exports are served in a thread: earlier ones had races between it and the main thread, and none before this was tried. */
const threaded = 10;

export interface DaemonCheck {
  version: QemuVersion;
  /** False: our tests were not run with this release. */
  tested: boolean;
  /** It answers so few requests a second over TCP that a replica on another node is far slower than its disk. */
  slowOverTcp: boolean;
  /** Its exports are served in a thread of their own. */
  exportsInThread: boolean;
}

/** @throws STORAGE_DAEMON_UNFIT naming what is missing */
export async function checkDaemon(qmp: Qmp, version: QemuVersion, options: ExecuteOptions = {}): Promise<DaemonCheck> {
  const release = `${version.major}.${version.minor}`;
  const missing = isOlder(version)
    ? [`release ${oldest.major}.${oldest.minor} or later`]
    : missingFrom(new QmpSchema(await qmp.execute('query-qmp-schema', {}, options)));
  if (missing.length > 0)
    throw new AppError('STORAGE_DAEMON_UNFIT', `qemu-storage-daemon ${release} lacks ${missing.join(', ')}`, {
      nextStep: `Use a release that is known to work: ${testedReleases.join(', ')}.`,
    });
  return {
    version,
    tested: testedReleases.includes(release),
    slowOverTcp: version.major < quickOverTcp,
    exportsInThread: version.major >= threaded,
  };
}

const isOlder = ({ major, minor }: QemuVersion): boolean =>
  major < oldest.major || (major === oldest.major && minor < oldest.minor);

/** Commands and `command argument`s of {@link usedByUs} that a schema does not have. */
export function missingFrom(schema: QmpSchema): string[] {
  return Object.entries(usedByUs).flatMap(([command, args]) => {
    if (!schema.hasCommand(command)) return [command];
    return args.filter((argument) => !takes(schema, command, argument)).map((argument) => `${command} ${argument}`);
  });
}

function takes(schema: QmpSchema, command: string, argument: string): boolean {
  const [variant, path] = argument.split(':');
  return path === undefined ? schema.takes(command, argument) : schema.takes(command, path, variant);
}
