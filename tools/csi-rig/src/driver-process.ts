import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { csi } from '@lateen/csi';
import { AppError } from '@lateen/errors';
import { connectUnix, type ServiceClient } from '@lateen/grpc';
import { type Clock, systemClock } from '@lateen/kernel';
import { execa } from 'execa';
import type { Scratch } from './scratch.ts';

const entryPoint = join(import.meta.dirname, '../../../apps/volume-manager/src/main.ts');

/** A driver starts in less than a second; a busy machine may need this long. */
const startMs = 30_000;
const pollMs = 20;
const logCharactersShown = 4_000;

export interface DriverProcess extends AsyncDisposable {
  endpoint: string;
  pid: number;
  identity: ServiceClient<csi.IdentityServer>;
  controller: ServiceClient<csi.ControllerServer>;
  node: ServiceClient<csi.NodeServer>;
  snapshotMetadata: ServiceClient<csi.SnapshotMetadataServer>;
  /** Kills it with SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM, and waits. @returns the exit code */
  stop(): Promise<number | undefined>;
}

export interface DriverOptions {
  nodeId: string;
  /** The program of the app, with its own flags. Default: that of local volumes, in the scratch file system. */
  program?: readonly string[];
  /** More flags, such as `--drop-reflink`. */
  flags?: readonly string[];
  clock?: Clock;
}

/** Starts the real driver on a scratch file system and waits until it answers. Its log is `driver.log` in the directory. */
export async function startDriver(scratch: Scratch, options: DriverOptions): Promise<DriverProcess> {
  const clock = options.clock ?? systemClock;
  const endpoint = `unix://${join(scratch.directory, 'csi.sock')}`;
  const program = options.program ?? ['local', '--state-dir', join(scratch.stateParent, 'lateen')];
  const flags = [...program, '--endpoint', endpoint, '--node-id', options.nodeId, '--log-level', 'debug'];
  const logPath = join(scratch.directory, 'driver.log');
  const child = execa(process.execPath, [entryPoint, ...flags, ...(options.flags ?? [])], {
    all: true,
    buffer: false,
    reject: false,
    stdin: 'ignore',
    // So that a test that restarts the driver a hundred times compiles it once; `npm test` has a folder for all tests.
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(scratch.directory, 'compile-cache') },
  });
  child.all.pipe(createWriteStream(logPath, { flags: 'a' }));
  const ended = new AbortController();
  void child.then(({ exitCode }) =>
    ended.abort(new AppError('DRIVER_ENDED', `the driver ended with exit code ${exitCode}`)),
  );
  const clients = {
    identity: connectUnix<csi.IdentityServer>(endpoint, csi.IdentityClient),
    controller: connectUnix<csi.ControllerServer>(endpoint, csi.ControllerClient),
    node: connectUnix<csi.NodeServer>(endpoint, csi.NodeClient),
    snapshotMetadata: connectUnix<csi.SnapshotMetadataServer>(endpoint, csi.SnapshotMetadataClient),
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    for (const client of Object.values(clients)) client[Symbol.dispose]();
    child.kill(signal);
    return (await child).exitCode;
  };
  try {
    await waitForAnswer(clients.identity, ended.signal, clock);
  } catch (error) {
    await end('SIGKILL');
    const log = await readFile(logPath, 'utf8').catch(() => '');
    throw new AppError('DRIVER_NOT_READY', `the driver did not start: ${log.slice(-logCharactersShown)}`, {
      cause: error,
    });
  }
  return {
    endpoint,
    pid: child.pid ?? 0,
    ...clients,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

async function waitForAnswer(
  identity: ServiceClient<csi.IdentityServer>,
  ended: AbortSignal,
  clock: Clock,
): Promise<void> {
  const signal = AbortSignal.any([ended, clock.deadline(startMs)]);
  for (;;) {
    const answer = await identity.probe({}, { signal }).catch(() => undefined);
    if (answer?.ready === true) return;
    await clock.sleep(pollMs, signal);
  }
}
