import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { lastLogLines } from '../host/child-server.ts';
import { detachLoopsBelow } from '../host/detach-loops.ts';
import { run } from '../host/run.ts';
import { waitUntil } from '../host/wait-until.ts';
import { writeFileAtomically } from '../host/write-file.ts';
import type { MachineLayout } from '../lifecycle/cluster-layout.ts';
import { endProcess } from './end-process.ts';
import { findInit } from './find-init.ts';
import { goRuntime } from './go-runtime.ts';
import { type MachineScriptOptions, machineScript } from './machine-script.ts';
import { clusterVariable } from './marked-processes.ts';
import { recordOf } from './process-record.ts';

/** A running machine: its process 1, through which its namespaces are entered. */
export interface Machine {
  layout: MachineLayout;
  initPid: number;
  /** True when this call started it: network and programs have to be set up. */
  fresh: boolean;
}

export interface StartMachineOptions {
  layout: MachineLayout;
  binds: MachineScriptOptions['binds'];
  disks?: MachineScriptOptions['disks'];
  ownDevices?: boolean;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

const startTimeoutMs = 30_000;

/**
 * Makes sure that the machine runs: a process tree with separate network, mount, PID, UTS and IPC namespaces, kept by a process 1 whose end
 * ends everything in it. A running machine is not changed.
 * @throws MACHINE_NOT_STARTED with the output of its set-up script
 */
export async function startMachine(options: StartMachineOptions): Promise<Machine> {
  const { layout, clock } = options;
  const running = await findInit(layout);
  if (running) return { layout, initPid: running.pid, fresh: false };

  // A lost machine leaves its volumes' devices behind, and they use its file system: mounting the same image a second time would destroy
  // it.
  await detachLoopsBelow(layout.dir, clock);
  const runDir = join(layout.dir, 'run');
  for (const dir of [runDir, layout.varLibDir, layout.varLogDir, layout.etcDir, layout.logDir, layout.recordDir])
    await mkdir(dir, { recursive: true });
  const scriptFile = join(layout.dir, 'start.sh');
  const script = machineScript({
    hostName: layout.name,
    mark: layout.uniqueName,
    runDir,
    binds: options.binds,
    varLibDir: layout.varLibDir,
    varLogDir: layout.varLogDir,
    clusterDir: layout.clusterDir,
    disks: options.disks ?? [],
    ownDevices: options.ownDevices ?? false,
  });
  await writeFileAtomically(scriptFile, script);
  const initPid = await unshareMachine(scriptFile, layout, clock, options.signal);
  await nameNetwork(layout.uniqueName, initPid);
  return { layout, initPid, fresh: true };
}

async function unshareMachine(
  scriptFile: string,
  layout: MachineLayout,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<number> {
  const logFile = join(layout.logDir, 'machine.log');
  const log = await open(logFile, 'w');
  let end: Error | undefined;
  const child = spawn(
    'unshare',
    // --kill-child: when unshare itself is ended, the machine ends too.
    ['--net', '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc', 'sh', scriptFile],
    { cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd], env: machineEnvironment(layout) },
  );
  child.on('error', (error) => {
    end = error;
  });
  child.on('exit', (code, killedBy) => {
    end = new Error(`its process 1 ended with ${killedBy ?? `exit code ${code}`}`);
  });
  child.unref();
  await log.close();
  try {
    const record = await waitUntil(() => findInit(layout), {
      what: `the machine ${layout.name} is set up`,
      timeoutMs: startTimeoutMs,
      clock,
      signal,
      hopeless: () => end,
    });
    return record.pid;
  } catch (cause) {
    if (child.pid !== undefined && end === undefined) await endUnshare(child.pid, clock);
    signal?.throwIfAborted();
    const said = await lastLogLines(logFile);
    throw new AppError('MACHINE_NOT_STARTED', `the machine ${layout.name} could not be started:\n${said}`, { cause });
  }
}

async function endUnshare(pid: number, clock: Clock): Promise<void> {
  const record = await recordOf('unshare', pid, '');
  if (record && (await commandLine(pid))[0] === 'unshare') await endProcess(record, clock, { atOnce: true });
}

/** The environment of every program in a machine; nothing of the caller's environment (proxies, tokens) is passed on. */
export function machineEnvironment(layout: Pick<MachineLayout, 'clusterId'>): Record<string, string> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_ALL: 'C.UTF-8',
    ...goRuntime,
    [clusterVariable]: layout.clusterId,
  };
}

/** Gives the network namespace a name, for `ip -n` and for users. Replaces a stale name. */
async function nameNetwork(name: string, initPid: number): Promise<void> {
  await run('ip', ['netns', 'delete', name], { acceptCodes: [1] });
  await run('ip', ['netns', 'attach', name, String(initPid)]);
}
