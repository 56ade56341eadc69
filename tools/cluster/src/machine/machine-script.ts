import { inMachine } from './machine-paths.ts';

export interface MachineScriptOptions {
  hostName: string;
  /** Last argument of process 1, by which it is found. */
  mark: string;
  /** An empty folder of the host on which the new /run is prepared. */
  runDir: string;
  /** Folders of the host that are visible in the machine: host path to path below /run. */
  binds: readonly { from: string; to: string }[];
  varLibDir: string;
  varLogDir: string;
  /** The folder with all of the above; the mounts that contain it are kept. */
  clusterDir: string;
  /** XFS images, each mounted at a path below /var/lib. */
  disks: readonly { image: string; mountedAt: string }[];
  /**
   * Gives the machine a separate folder for links to devices of replicated volumes: /dev is the host's, and two nodes have the same volume
   * while it moves. An empty folder for it stays in the host's /dev, on which other machines have theirs mounted.
   */
  ownDevices: boolean;
}

/**
 * The shell script that turns a process in new namespaces into a machine, and then becomes its process 1.
 *
 * `/run`, `/var/lib` and `/var/log` are the machine's own; everything else is the host's. The host's folders are mounted before they are
 * hidden, so the cluster may be anywhere, below /var/lib or /run too. All mounts belong to the mount namespace: the kernel removes them
 * (and the loop device with them) when the last process has ended. `-n`: mount(8) must not record these mounts in the host's /run/mount.
 */
export function machineScript(options: MachineScriptOptions): string {
  const run = quote(options.runDir);
  const lines = [
    'set -eu',
    'mount -n --make-rprivate /',
    ...dropForeignMounts(options.clusterDir),
    `echo ${quote(options.hostName)} > /proc/sys/kernel/hostname`,
    'ip link set lo up',
    // Both are per network namespace. Bridged pod traffic must pass iptables, otherwise Service addresses do not work.
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
    // Pods with `mountPropagation: Bidirectional` need this; it is limited to the machine.
    'mount -n --make-rshared /',
    `exec ${inMachine.binDir}/pause ${quote(options.mark)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** Mount points of the host that programs in a machine need, with everything below them. */
const neededMounts = ['proc', 'sys', 'dev', 'usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'etc', 'opt'];

/**
 * A new mount namespace is a copy, and its mounts stay for as long as the machine runs, whatever the host unmounts: loop devices of other
 * programs would stay busy, and other clusters' network namespaces would stay alive. So everything that the machine does not need is
 * unmounted. Detaching a mount detaches those below it too, hence the `|| :`.
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

/** Quotes a string as one shell word. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
