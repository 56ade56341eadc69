import { inMachine } from './machine-paths.ts';

export interface MachineScriptOptions {
  hostName: string;
  /** Last argument of process 1, by which it is found again. */
  mark: string;
  /** An empty folder of the host on which the new /run is put together. */
  runDir: string;
  /** Folders of the host that appear in the machine: host path to path below /run. */
  binds: readonly { from: string; to: string }[];
  varLibDir: string;
  varLogDir: string;
  /** The folder that holds all of the above; what it is mounted on is kept. */
  clusterDir: string;
  /** XFS images, each to be mounted at a path below /var/lib. */
  disks: readonly { image: string; mountedAt: string }[];
  /**
   * The links to devices of replicated volumes are the machine's own: /dev is the host's, and two nodes have the same volume while it moves. Its
   * empty folder stays in the host's /dev, where other machines have theirs on it.
   */
  ownDevices: boolean;
}

/**
 * The shell script that turns a process in fresh namespaces into a machine, and then becomes its process 1.
 *
 * `/run`, `/var/lib` and `/var/log` are the machine's own; everything else is the host's. The host's folders are
 * reached before they are hidden, so the cluster may lie anywhere, below /var/lib or /run too. All mounts belong to the
 * mount namespace: the kernel takes them away (and the loop device with them) when the last process is gone.
 * `-n`: mount(8) must not note these mounts in the host's /run/mount.
 */
export function machineScript(options: MachineScriptOptions): string {
  const run = quote(options.runDir);
  const lines = [
    'set -eu',
    'mount -n --make-rprivate /',
    ...dropForeignMounts(options.clusterDir),
    `echo ${quote(options.hostName)} > /proc/sys/kernel/hostname`,
    'ip link set lo up',
    // Both are per network namespace. Bridged pod traffic must pass iptables, or Service addresses do not work.
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    'bridged=/proc/sys/net/bridge/bridge-nf-call-iptables; [ ! -e $bridged ] || echo 1 > $bridged',
    `mount -n -t tmpfs -o mode=755 lateen ${run}`,
  ];
  for (const { from, to } of options.binds) {
    const target = quote(options.runDir + to.slice('/run'.length));
    lines.push(`mkdir -p ${target}`, `mount -n --bind ${quote(from)} ${target}`);
  }
  for (const { image, mountedAt } of options.disks) {
    const target = quote(options.varLibDir + mountedAt.slice('/var/lib'.length));
    lines.push(`mkdir -p ${target}`, `mount -n -t xfs -o loop ${quote(image)} ${target}`);
  }
  if (options.ownDevices)
    lines.push(`mkdir -p ${inMachine.deviceDir}`, `mount -n -t tmpfs -o mode=755 lateen ${inMachine.deviceDir}`);
  lines.push(
    `mount -n --rbind ${quote(options.varLibDir)} /var/lib`,
    `mount -n --bind ${quote(options.varLogDir)} /var/log`,
    `mount -n --move ${run} /run`,
    // Pods with `mountPropagation: Bidirectional` need this; it reaches no further than the machine.
    'mount -n --make-rshared /',
    `exec ${inMachine.binDir}/pause ${quote(options.mark)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** Mount points of the host that programs in a machine need, with everything below them. */
const neededMounts = ['proc', 'sys', 'dev', 'usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'etc', 'opt'];

/**
 * A new mount namespace is a copy, and what it copied stays mounted for as long as the machine runs, whatever the host
 * unmounts: other people's loop devices would stay busy and other clusters' network namespaces alive. So everything
 * goes that the machine does not need. Detaching a mount takes those on it along, hence the `|| :`.
 */
function dropForeignMounts(clusterDir: string): string[] {
  const needed = neededMounts.map((name) => `/${name} | /${name}/*`).join(' | ');
  return [
    'set -f',
    "for point in $(cut -d ' ' -f 5 /proc/self/mountinfo); do",
    '  point=$(printf %b "$point")',
    `  case $point in / | ${needed}) continue ;; esac`,
    `  case ${quote(`${clusterDir}/`)} in "$point"/*) continue ;; esac`,
    '  umount -n -l "$point" 2>/dev/null || :',
    'done',
  ];
}

/** One shell word, whatever is in it. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
