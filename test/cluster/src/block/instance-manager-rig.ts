import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceHost, ReplicaControl, StatusLink } from '@lateen/block-engine';
import { createAuthority, issue } from '@lateen/certificates';
import { type BlockTools, freePorts } from '@lateen/cluster';
import { connectInstanceHost, connectReplicaControl } from '@lateen/instance-api';
import { exportKey, exportName, headExport } from '@lateen/instance-host';
import { systemClock as clock } from '@lateen/kernel';
import { connectStatus } from '@lateen/nbd';
import { compileCache } from '../environment/compile-cache.ts';

const source = new URL('../../../../apps/instance-manager/src/main.ts', import.meta.url).pathname;
export const never = new AbortController().signal;
export const o = { signal: never };

/** One node of a rig: an instance manager with its own folders and its own loopback address. */
export interface RigNode extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly managerPort: number;
  readonly disk: string;
  readonly runtime: string;
  readonly devices: string;
  readonly host: InstanceHost & Disposable;
  readonly control: ReplicaControl & Disposable;
  /** Starts `serve`; resolves when it answers. */
  start(): Promise<void>;
  /** Kills it with SIGKILL; processes that it has started keep running, unless they are in a pod. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
  /** A connection to the head of a replica, as an engine opens one. */
  head(of: { volumeUid: string; replica: string; generation: number }, port: number): Promise<StatusLink>;
  log(): string;
}

export interface NodeOptions {
  tools: BlockTools;
  /** The directory of the rig; a node has its own folders in it. */
  directory: string;
  name: string;
  address: string;
  /** The same for all nodes of a rig, as in a cluster. */
  managerPort: number;
  environment?: Readonly<Record<string, string>>;
  /** Flags and file for Node to run the instance manager; default: its source. */
  program?: readonly string[];
  /** `keep` starts `serve`, as in a pod; a SIGTERM to it ends volumes. */
  command?: 'serve' | 'keep';
  /** Gives it its own mounts and processes, as in a pod: when it is killed, all of them end. */
  inPod?: boolean;
}

/** The namespace ends with its process 1. */
const pod = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** The TLS Secret of a cluster, as files. */
export async function writeTls(directory: string): Promise<string> {
  const tls = join(directory, 'tls');
  await mkdir(tls, { recursive: true });
  const authority = await createAuthority('instance managers', clock.now());
  const leaf = await issue(authority, { subject: 'CN=volume-manager', dnsNames: ['volume-manager'] }, clock.now());
  await writeFile(join(tls, 'ca.crt'), authority.certificate);
  await writeFile(join(tls, 'tls.crt'), leaf.certificate);
  await writeFile(join(tls, 'tls.key'), leaf.key);
  return tls;
}

export async function rigNode({
  tools,
  directory,
  name,
  address,
  managerPort,
  environment = {},
  program = [source],
  command = 'serve',
  inPod = false,
}: NodeOptions): Promise<RigNode> {
  const tls = join(directory, 'tls');
  const own = join(directory, name);
  const [disk, runtime, devices] = [join(own, 'disk'), join(own, 'run'), join(own, 'dev')];
  await mkdir(disk, { recursive: true });
  const [health = 0] = await freePorts(1);
  const flags = [
    ...[`--node=${name}`, `--name=im-${name}`, `--runtime-directory=${runtime}`, `--device-directory=${devices}`],
    ...[`--listen=${address}:${managerPort}`, `--health=127.0.0.1:${health}`, `--tls-directory=${tls}`],
    ...[`--replica-address=${address}`, `--qemu-storage-daemon=${tools.qemuStorageDaemon}`],
    ...[`--qemu-img=${tools.qemuImg}`, `--nbdfuse=${tools.nbdfuse}`, '--log-format=json'],
  ];
  const files = { ca: join(tls, 'ca.crt'), cert: join(tls, 'tls.crt'), key: join(tls, 'tls.key') };
  const peer = { host: address, port: managerPort, tls: files, serverName: 'volume-manager' };
  const host = await connectInstanceHost(peer, { clock });
  const control = await connectReplicaControl(peer);
  let child: ReturnType<typeof spawn> | undefined;
  let log = '';
  const ended = async (signal: NodeJS.Signals) => {
    const present = child;
    child = undefined;
    if (present === undefined || present.exitCode !== null) return;
    const exit = once(present, 'exit');
    present.kill(signal);
    await exit;
  };
  return {
    ...{ name, address, managerPort, disk, runtime, devices, host, control },
    start: async () => {
      const fusermount = tools.fusermount3.slice(0, tools.fusermount3.lastIndexOf('/'));
      const PATH = `${fusermount}:${process.env.PATH}`;
      const [first = '', ...line] = [...(inPod ? pod : []), process.execPath, ...program, command, ...flags];
      child = spawn(first, line, { env: { PATH, HOME: '/root', ...compileCache(), ...environment } });
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
      const started = child;
      const deadline = clock.monotonicMs() + 60_000;
      for (;;) {
        const ready = await fetch(`http://127.0.0.1:${health}/readyz`).then(
          (answer) => answer.status === 200,
          () => false,
        );
        // A server that has just started to listen may not have its certificate yet.
        if (ready && (await answers(host))) return;
        if (started.exitCode !== null || clock.monotonicMs() > deadline)
          throw new Error(`serve of ${name} did not start:\n${log}`);
        await clock.sleep(50);
      }
    },
    kill: () => ended('SIGKILL'),
    stop: () => ended('SIGTERM'),
    head: async (of, port) => {
      const key = exportKey(await readFile(files.key, 'utf8'));
      const contexts = ['base:allocation', 'qemu:allocation-depth'] as const;
      return connectStatus({
        at: { host: address, port },
        exportName: exportName(key, headExport(of)),
        clock,
        contexts,
      });
    },
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      await ended('SIGKILL');
      host[Symbol.dispose]();
      control[Symbol.dispose]();
      await endProcesses(own);
    },
  };
}

const answers = (host: InstanceHost): Promise<boolean> =>
  host.info({ signal: clock.deadline(5_000) }).then(
    () => true,
    () => false,
  );

/** Processes of the rig only: they have its folder in their command lines. */
export async function processesOf(directory: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    const command = line.replaceAll('\0', ' ').trim();
    if (command.includes(`${directory}/`)) found.push({ pid: Number(name), command });
  }
  return found;
}

async function endProcesses(directory: string): Promise<void> {
  for (const { pid } of await processesOf(directory)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
