import { absolutePath, socketPath } from '../absolute-path.ts';

const MiB = 1024 * 1024;

/** Where a storage daemon has what makes it reachable. One daemon per set of places. */
export interface DaemonPlaces {
  /** Unix socket of its monitor; at most 107 bytes. Made by the daemon; one that is left over is replaced. */
  monitorPath: string;
  /** Written when the monitor listens, locked while the daemon runs, removed at its end. */
  pidPath: string;
}

/**
 * The thread of a daemon that serves exports, where they are told to use it: without the loop of the main thread, which also has the monitor, a request takes a fifth
 * less CPU (docs/adr/0073). It does not wait actively: a replica that has nothing to do takes no CPU.
 */
export const exportThread = 'exports';

/**
 * Arguments of a storage daemon without any device: nodes, exports and their names (a secret) come through the monitor, so that
 * the command line shows nothing. For the caller that starts the process; `connectStorageDaemon` resolves when it is ready.
 * Never `--daemonize`: the pid must be the one that was started, and relative paths would mean others.
 * @throws PATH_NOT_ABSOLUTE, SOCKET_PATH_TOO_LONG
 */
export function daemonArguments({ monitorPath, pidPath }: DaemonPlaces): readonly string[] {
  return [
    '--chardev',
    `socket,id=monitor,path=${option(socketPath(monitorPath))},server=on,wait=off`,
    '--monitor',
    'chardev=monitor',
    '--pidfile',
    absolutePath(pidPath),
    '--object',
    `iothread,id=${exportThread},poll-max-ns=0`,
  ];
}

/**
 * Environment of a storage daemon, for the caller that starts the process. By default glibc takes the memory of each larger request from the kernel and returns it at
 * its end; the faults of its pages are up to half of what a daemon does for writes of 1 MiB (bench, "Replicated volumes"). With this it keeps up to 16 MiB, and
 * requests of more than 4 MiB are as before.
 */
export const daemonEnvironment: Readonly<Record<string, string>> = {
  GLIBC_TUNABLES: `glibc.malloc.mmap_threshold=${4 * MiB}:glibc.malloc.trim_threshold=${16 * MiB}`,
};

/** A comma ends the value of an option, two are one. */
const option = (value: string): string => value.replaceAll(',', ',,');
