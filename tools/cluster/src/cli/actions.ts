import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import { loadImage } from '../images/load-image.ts';
import { clusterDown } from '../lifecycle/cluster-down.ts';
import { clusterLayout } from '../lifecycle/cluster-layout.ts';
import { clusterStatus } from '../lifecycle/cluster-status.ts';
import { clusterUp } from '../lifecycle/cluster-up.ts';
import { findLeftovers } from '../lifecycle/find-leftovers.ts';
import { killMachine, runningMachine } from '../lifecycle/kill-machine.ts';
import { enterArguments } from '../machine/enter-machine.ts';
import { quote } from '../machine/machine-script.ts';
import { machineEnvironment } from '../machine/start-machine.ts';
import { debianPartNames } from '../parts/debian-part-table.ts';
import { ensureParts } from '../parts/ensure-parts.ts';
import { partNames } from '../parts/part-table.ts';
import { during } from '../progress/progress.ts';
import type { CliPorts } from './cli-ports.ts';
import { formatStatus, type OutputFormat } from './format-status.ts';

interface ClusterChoice {
  dir: string;
}

export async function up(options: ClusterChoice & { nodes?: number }, ports: CliPorts): Promise<void> {
  const { progress, signal } = ports;
  const info = await during(progress, 'cluster', () => clusterUp({ ...options, progress, signal }));
  ports.print(`The cluster is up: export KUBECONFIG=${quote(info.kubeconfig)}`);
}

export async function down({ dir }: ClusterChoice, ports: CliPorts): Promise<void> {
  await clusterDown({ dir, progress: ports.progress, signal: ports.signal });
  ports.print(`There is no cluster in ${dir} any more.`);
}

/** @throws CLUSTER_NOT_WHOLE after it has printed the status, for the exit code */
export async function status(
  { dir, output }: ClusterChoice & { output: OutputFormat },
  ports: CliPorts,
): Promise<void> {
  const seen = await clusterStatus({ dir });
  ports.print(formatStatus(seen, output));
  if (seen.phase !== 'running') throw new AppError('CLUSTER_NOT_WHOLE', `the cluster in ${dir} is ${seen.phase}`);
}

export async function printKubeconfig(
  { dir, content }: ClusterChoice & { content?: boolean },
  ports: CliPorts,
): Promise<void> {
  const path = clusterLayout(dir).kubeconfig;
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw noCluster(dir, cause);
  });
  ports.print(content ? text.trimEnd() : path);
}

export async function loadImages(archives: readonly string[], { dir }: ClusterChoice, ports: CliPorts): Promise<void> {
  const { info } = await clusterStatus({ dir });
  if (info === undefined) throw noCluster(dir);
  for (const archive of archives)
    await during(ports.progress, `loading ${archive}`, () => loadImage(info, archive, ports.signal));
}

export async function kill(machine: string, { dir }: ClusterChoice, ports: CliPorts): Promise<void> {
  await killMachine({ dir, machine });
  ports.print(`${machine} is down, its disks are as they were. \`npm run cluster -- up\` starts it again.`);
}

/** @throws EXEC_FAILED with the command's exit code, which becomes ours */
export async function exec(
  machine: string,
  argv: readonly string[],
  { dir }: ClusterChoice,
  ports: CliPorts,
): Promise<void> {
  const init = await runningMachine(dir, machine);
  // commander passes the separator on when options precede it.
  const command = argv[0] === '--' ? argv.slice(1) : argv;
  const result = await execa('nsenter', [...enterArguments(init.pid), ...command], {
    stdio: 'inherit',
    cwd: '/',
    env: machineEnvironment(clusterLayout(dir).controlPlane),
    extendEnv: false,
    reject: false,
    cancelSignal: ports.signal,
  });
  if (result.failed)
    throw new AppError('EXEC_FAILED', `the command ended with exit code ${result.exitCode}`, {
      details: { exitCode: result.exitCode ?? 1 },
    });
}

export async function leftovers({ dir }: ClusterChoice, ports: CliPorts): Promise<void> {
  const found = await findLeftovers({ dir });
  ports.print(found.length === 0 ? 'nothing' : found.map(({ kind, name }) => `${kind}: ${name}`).join('\n'));
}

export async function buildParts(names: readonly string[], ports: CliPorts): Promise<void> {
  const wanted = names.length === 0 ? [...partNames, ...debianPartNames] : names;
  const paths = await ensureParts(wanted, ports.progress, { signal: ports.signal });
  for (const name of wanted) ports.print(`${name} ${paths[name]}`);
}

const noCluster = (dir: string, cause?: unknown): AppError =>
  new AppError('CLUSTER_ABSENT', `there is no cluster in ${dir}`, {
    cause,
    nextStep: 'Start one with `npm run cluster -- up`.',
  });
