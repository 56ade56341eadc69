import { lookup } from 'node:dns/promises';
import { mkdir, readdir, readFile, realpath, rmdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type ChildRun, childRunner, processFacts } from '@lateen/child-process';
import { AppError, describeError, plainLine } from '@lateen/errors';
import { type Clock, durationText, type Logger, mountAt, orAborted, parseMountInfo } from '@lateen/kernel';
import { type NfsPlace, type NfsPlan, nfsPlan } from './nfs-options.ts';

/** In ms. Neither answers to anything but its end when a server is away, so both are killed then. */
export const nfsLimits = { mountMs: 20_000, unmountMs: 10_000, resolveMs: 10_000 } as const;
/** From SIGINT to SIGKILL, after the time is over. */
const graceMs = 500;

export interface NfsMountPorts {
  /** Ours alone, made when it is needed. Each mount has a folder in it, named by the process and a number. */
  readonly directory: string;
  /** Where `mount` and `umount` of util-linux are, as PATH has it. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of this process. */
  readonly pid: number;
  /** The address of a name. As the system has it when absent. */
  readonly resolve?: (name: string) => Promise<string>;
  /** What is mounted, as proc(5) has it. /proc/self/mountinfo when absent. */
  readonly mountInfo?: () => Promise<string>;
}

/** A mounted export; disposing releases it, and never fails. */
export interface MountedDirectory extends AsyncDisposable {
  readonly directory: string;
}

export interface NfsMounts {
  /**
   * Mounts the export of a server, or shares an existing mount with the same options. The last release unmounts it.
   * @throws AppError `BACKUP_TARGET_UNAVAILABLE` with the output of `mount`, or that the server did not answer; `BACKUP_TARGET_URL`;
   * the reason of an abort, which ends the wait and not the mount of others
   */
  open(place: NfsPlace, o: { readonly signal: AbortSignal }): Promise<MountedDirectory>;
}

interface Shared {
  users: number;
  readonly mounted: Promise<string>;
}

/** Mounts of this process. Nothing is touched before the first call. */
export function nfsMounts(ports: NfsMountPorts): NfsMounts {
  const shares = new Map<string, Shared>();
  let number = 0;
  let swept: Promise<void> | undefined;
  const begin = async (plan: NfsPlan): Promise<string> => {
    swept ??= sweep(ports);
    await swept;
    return await mountNfs(ports, plan, `${ports.pid}-${++number}`);
  };
  const release = async (key: string, share: Shared): Promise<void> => {
    if (--share.users > 0) return;
    if (shares.get(key) === share) shares.delete(key);
    // A mount that has failed has cleared up after itself.
    const directory = await share.mounted.catch(() => undefined);
    if (directory !== undefined) await unmountNfs(ports, directory);
  };
  return {
    open: async (place, { signal }) => {
      signal.throwIfAborted();
      const plan = nfsPlan(place);
      const key = JSON.stringify(plan);
      const share = shares.get(key) ?? { users: 0, mounted: begin(plan) };
      shares.set(key, share);
      share.users++;
      try {
        const directory = await orAborted(share.mounted, signal);
        let isOpen = true;
        return {
          directory,
          [Symbol.asyncDispose]: async () => {
            if (!isOpen) return;
            isOpen = false;
            await release(key, share);
          },
        };
      } catch (error) {
        // Not awaited: an abandoned mount ends at its own time limit. After a failed one the next caller tries again.
        if (!signal.aborted && shares.get(key) === share) shares.delete(key);
        void release(key, share);
        throw error;
      }
    },
  };
}

async function mountNfs(ports: NfsMountPorts, plan: NfsPlan, name: string): Promise<string> {
  const { clock, log } = ports;
  const ends = clock.deadline(nfsLimits.mountMs);
  const addr = await addressOf(ports, plan);
  await mkdir(join(ports.directory, name), { recursive: true, mode: 0o700 });
  const at = await realpath(join(ports.directory, name));
  try {
    await tryVersions(ports, plan, { addr, at, ends });
    // Data written to a folder without a mount fills the disk of the node and is lost.
    if (!(await isMounted(ports, at)))
      throw unavailable(
        plan,
        'mount reported success, but the file system is not mounted',
        'Check the kernel log of the node.',
      );
  } catch (error) {
    await unmountNfs(ports, at);
    throw error;
  }
  log.info({ source: plan.source, directory: at }, 'a backup target is mounted');
  return at;
}

interface Attempt {
  readonly addr: string;
  readonly at: string;
  readonly ends: AbortSignal;
}

/** The kernel does not negotiate; a server that lacks a version says so at once (EPROTONOSUPPORT, in words of mount). */
async function tryVersions(ports: NfsMountPorts, plan: NfsPlan, { addr, at, ends }: Attempt): Promise<void> {
  const said: string[] = [];
  for (const version of plan.versions) {
    const options = `${plan.options},vers=${version},addr=${addr}`;
    // No helper program: it would be another process, which would not be killed.
    const args = ['-i', '-t', 'nfs4', '-o', options, plan.source, at];
    const exit = await run(ports, 'mount', { args, signal: ends });
    if (exit.exitCode === 0) return;
    if (exit.aborted || ends.aborted)
      throw unavailable(
        plan,
        `it has not answered in ${durationText(nfsLimits.mountMs)}`,
        'Check that the server runs, and that the nodes reach its port 2049.',
      );
    said.push(plainLine(exit.stderr.trim()) || `mount ended with ${exit.exitCode ?? exit.endedBy}`);
  }
  throw unavailable(
    plan,
    [...new Set(said)].join('; '),
    'Check the export and which clients may mount it; the mounting container must be privileged, and the kernel of the node must support NFS.',
  );
}

async function addressOf({ resolve = systemAddress, clock }: NfsMountPorts, plan: NfsPlan): Promise<string> {
  if (isIP(plan.host) !== 0) return plan.host;
  try {
    return await orAborted(resolve(plan.host), clock.deadline(nfsLimits.resolveMs));
  } catch (cause) {
    throw unavailable(
      plan,
      `the address of ${plan.host} is not known: ${describeError(cause)}`,
      'Check the name of the server, or give its address.',
      cause,
    );
  }
}

const systemAddress = async (name: string): Promise<string> => (await lookup(name)).address;

/** Tells what it could not do: what a backup has stored is stored. Files that are still open, because a read hangs, keep no folder. */
async function unmountNfs(ports: NfsMountPorts, at: string): Promise<void> {
  const { clock, log } = ports;
  try {
    for (const how of [[], ['-l']]) {
      if (!(await isMounted(ports, at))) break;
      const args = ['-i', '-c', ...how, at];
      const signal = clock.deadline(nfsLimits.unmountMs);
      const exit = await run(ports, 'umount', { args, signal });
      if (exit.exitCode !== 0) log.warn({ directory: at, said: plainLine(exit.stderr.trim()) }, 'umount has failed');
    }
    // Only the empty folder is removed: a mount there contains backups.
    await rmdir(at);
  } catch (err) {
    log.warn({ directory: at, err }, 'a backup target could not be unmounted; the next process of this node does it');
  }
}

const run = ({ path, clock }: NfsMountPorts, program: 'mount' | 'umount', { args, signal }: Omit<ChildRun, 'env'>) =>
  childRunner({ program, clock, graceMs }).run({ args, env: { PATH: path, LC_ALL: 'C' }, signal });

async function isMounted({ mountInfo = systemMounts }: NfsMountPorts, at: string): Promise<boolean> {
  return mountAt(parseMountInfo(await mountInfo()), at) !== undefined;
}

const systemMounts = (): Promise<string> => readFile('/proc/self/mountinfo', 'utf8');

/** Unmounts what processes have left that were killed. */
async function sweep(ports: NfsMountPorts): Promise<void> {
  await mkdir(ports.directory, { recursive: true, mode: 0o700 });
  const directory = await realpath(ports.directory);
  for (const name of await readdir(directory)) {
    const pid = Number(/^(\d+)-\d+$/.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    // Our own pid was another process's before.
    if (pid === ports.pid || (await processFacts(pid)) === undefined) await unmountNfs(ports, join(directory, name));
  }
}

const unavailable = (plan: NfsPlan, why: string, nextStep: string, cause?: unknown): AppError =>
  new AppError('BACKUP_TARGET_UNAVAILABLE', `${plan.source} cannot be mounted: ${why}`, {
    retry: 'later',
    nextStep,
    ...(cause === undefined ? {} : { cause }),
  });
