import { access, readFile } from 'node:fs/promises';
import { findCgroups } from '../host/cgroups.ts';
import { loopDevicesOf } from '../host/loop-devices.ts';
import { mountsBelow } from '../host/mounts.ts';
import { run } from '../host/run.ts';
import { markedProcesses } from '../machine/marked-processes.ts';
import { hostInterface, interfaceExists } from '../network/host-link.ts';
import { namedNetworks } from '../network/named-networks.ts';
import { type ClusterLayout, clusterLayout, uniquePrefix } from './cluster-layout.ts';
import { defaultClusterDir } from './default-dir.ts';

/** A part of a cluster that is still on the machine. */
export interface Leftover {
  kind:
    | 'process'
    | 'network namespace'
    | 'network interface'
    | 'cgroup'
    | 'loop device'
    | 'mount'
    | 'socket'
    | 'iptables rule'
    | 'file';
  name: string;
}

/**
 * Everything on this machine that belongs to the cluster in a folder, found on the machine itself and not in the cluster's records. Empty
 * after `clusterDown`. Changes nothing.
 */
export async function findLeftovers(options: { dir?: string } = {}): Promise<Leftover[]> {
  const layout = clusterLayout(options.dir ?? defaultClusterDir);
  const searches: { kind: Leftover['kind']; find: (layout: ClusterLayout) => Promise<string[]> }[] = [
    { kind: 'process', find: processes },
    { kind: 'network namespace', find: ({ id }) => namedNetworks((name) => name.startsWith(uniquePrefix(id))) },
    { kind: 'network interface', find: interfaces },
    { kind: 'cgroup', find: ({ id }) => findCgroups((name) => name.startsWith(uniquePrefix(id))) },
    { kind: 'loop device', find: loops },
    { kind: 'mount', find: ({ dir }) => mountsBelow(dir) },
    { kind: 'socket', find: sockets },
    { kind: 'iptables rule', find: iptablesRules },
    { kind: 'file', find: files },
  ];
  const found = await Promise.all(
    searches.map(async ({ kind, find }) => (await find(layout)).map((name): Leftover => ({ kind, name }))),
  );
  return found.flat();
}

async function processes({ id }: ClusterLayout): Promise<string[]> {
  return (await markedProcesses(id)).map(({ pid, name }) => `${pid} ${name}`);
}

async function interfaces({ id }: ClusterLayout): Promise<string[]> {
  const name = hostInterface(id);
  return (await interfaceExists([], name)) ? [name] : [];
}

async function loops({ dir }: ClusterLayout): Promise<string[]> {
  return (await loopDevicesOf(dir)).map(({ path, backingFile }) => `${path} on ${backingFile}`);
}

async function sockets({ dir }: ClusterLayout): Promise<string[]> {
  const table = await readFile('/proc/net/unix', 'utf8');
  return table.split('\n').flatMap((line) => {
    const path = line.split(' ').at(-1) ?? '';
    return path.startsWith(`${dir}/`) ? [path] : [];
  });
}

/** Proves that a cluster adds no rule to the host. Only rules that name its link could be its own. */
async function iptablesRules({ id }: ClusterLayout): Promise<string[]> {
  const rules = await run('iptables-save', []).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return rules.split('\n').filter((rule) => rule.includes(hostInterface(id)));
}

async function files({ dir, lockFile }: ClusterLayout): Promise<string[]> {
  const there = await Promise.all(
    [dir, lockFile].map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return there.flat();
}
