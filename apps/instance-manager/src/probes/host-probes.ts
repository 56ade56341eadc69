import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostProbe } from '@lateen/block-engine';
import { programOnPath } from '../programs.ts';

export interface ProbedPlaces {
  hostRoot: string;
  /** Names or paths that have to exist. */
  programs: readonly string[];
  path: string;
}

/** What the node needs; the names become conditions of the node. */
export async function hostProbes(places: ProbedPlaces): Promise<HostProbe[]> {
  return Promise.all([mountPropagation(places), packages(places), kernelModules(), multipathd(places)]);
}

/** To see whether kubelet has unmounted a device, this container needs the node's mounts, also later ones. */
async function mountPropagation({ hostRoot }: ProbedPlaces): Promise<HostProbe> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.split(' ')[4] === hostRoot);
  const optional = lines.at(-1)?.split(' - ')[0]?.split(' ').slice(6) ?? [];
  const ok = optional.some((field) => /^(shared|master):/.test(field));
  const name = 'mount-propagation';
  if (ok) return { name, ok, message: `mounts of the node are seen at ${hostRoot}` };
  const what = lines.length === 0 ? 'is not a mount point' : 'does not get the mounts of the node';
  return {
    name,
    ok,
    message: `${hostRoot} ${what}`,
    nextStep:
      'Mount / of the node there with mountPropagation: HostToContainer; on the node run mount --make-rshared /.',
  };
}

async function packages({ programs, path }: ProbedPlaces): Promise<HostProbe> {
  const missing: string[] = [];
  for (const program of programs) if ((await programOnPath(program, path)) === undefined) missing.push(program);
  const name = 'packages';
  if (missing.length === 0) return { name, ok: true, message: 'all programs are there' };
  return { name, ok: false, message: `${missing.join(', ')} cannot be found`, nextStep: 'Use an image that has them.' };
}

/** The file that the kernel provides to users of a module. */
const moduleFiles = [
  ['loop', '/dev/loop-control'],
  ['fuse', '/dev/fuse'],
] as const;

async function kernelModules(): Promise<HostProbe> {
  const devices: readonly string[] = await readdir('/dev').catch(() => []);
  const missing = moduleFiles.filter(([, file]) => !devices.includes(file.slice('/dev/'.length)));
  const names = missing.map(([module]) => module).join(', ');
  const name = 'kernel-modules';
  if (missing.length === 0) return { name, ok: true, message: 'all kernel modules are there' };
  return {
    name,
    ok: false,
    message: `kernel modules ${names} are not loaded`,
    nextStep: `Run modprobe on the node for ${names}.`,
  };
}

/** multipathd takes volumes' devices for paths of its own and keeps them open. Not checked where the node's processes are not visible. */
async function multipathd({ hostRoot }: ProbedPlaces): Promise<HostProbe> {
  const processes = join(hostRoot, 'proc');
  const pids = (await readdir(processes).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(join(processes, pid, 'comm'), 'utf8').catch(() => '')));
  const runs = commands.some((command) => command.trim() === 'multipathd');
  const name = 'multipathd';
  if (!runs) return { name, ok: true, message: 'multipathd is not running' };
  return {
    name,
    ok: false,
    message: 'multipathd is running on the node and may take devices of volumes',
    nextStep: 'Blacklist loop and nbd devices in multipath.conf, or stop it.',
  };
}
