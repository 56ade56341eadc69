import { createReadStream } from 'node:fs';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import { enterArguments, runInMachine } from '../machine/enter-machine.ts';
import { inMachine } from '../machine/machine-paths.ts';
import { type Machine, machineEnvironment } from '../machine/start-machine.ts';
import type { ProgramImage } from './program-image.ts';

const ctr = ['ctr', '--address', inMachine.containerdSocket, '--namespace', 'k8s.io'];
/** A gigabyte from a slow disk takes less than this. */
const importTimeoutMs = 600_000;

/**
 * Imports an OCI archive into a node's containerd. The archive is piped, so the node's mount namespace need not see it. @throws
 * IMAGE_IMPORT_FAILED
 */
export async function importImage(
  machine: Pick<Machine, 'initPid' | 'layout'>,
  archive: string,
  signal?: AbortSignal,
): Promise<void> {
  const input = createReadStream(archive);
  const result = await execa(
    'nsenter',
    [...enterArguments(machine.initPid), ...ctr, 'images', 'import', '--snapshotter', 'overlayfs', '-'],
    {
      input,
      cwd: '/',
      env: machineEnvironment(machine.layout),
      extendEnv: false,
      all: true,
      reject: false,
      timeout: importTimeoutMs,
      ...(signal ? { cancelSignal: signal } : {}),
    },
  );
  signal?.throwIfAborted();
  if (result.failed)
    throw new AppError(
      'IMAGE_IMPORT_FAILED',
      `${archive} could not be loaded into ${machine.layout.name}: ${result.all}`,
      {
        cause: result.cause,
        nextStep: 'Check that it is an OCI archive with a name in its index.',
      },
    );
}

/** Imports the image unless the node has one with the same name and content. */
export async function ensureImage(
  machine: Pick<Machine, 'initPid' | 'layout'>,
  image: ProgramImage,
  signal?: AbortSignal,
): Promise<void> {
  const listed = await runInMachine(machine, [...ctr, 'images', 'list', `name==${image.tag}`]);
  if (!listed.stdout.includes(image.digest)) await importImage(machine, image.archive, signal);
}
