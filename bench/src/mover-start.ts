import { type DataUpload, dataUploadType, podType } from '@lateen/api-types';
import { type PodShell, podShell } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { systemRandom } from '@lateen/kernel';
import type { BenchRow } from './bench-row.ts';
import { median } from './median.ts';

const runs = 5;
const firstCallMsMax = 150;
const megabytesMax = 75;
/** Long enough for a mover to wait for InProgress; it is idle then. */
const settleSeconds = 2;

/**
 * The mover's process before the engine starts, in the node-agent's own pod: with the image, account and limits of a hosting pod. The time
 * is that of a whole run for a DataUpload that does not exist, so it includes the answer to the first call and the end of the process: an
 * upper bound. The memory is that of a mover that waits for InProgress.
 */
export async function benchMoverStart(lateen: RunningLateen, signal: AbortSignal): Promise<BenchRow[]> {
  const { kube, veleroNamespace: namespace } = lateen;
  const agents = await kube.list(podType, { namespace, labelSelector: 'role=node-agent', signal });
  const pod = agents.items[0]?.metadata.name;
  if (pod === undefined) throw new Error(`no node-agent pod in namespace ${namespace}`);
  const shell = podShell({ ...lateen, namespace, pod, signal });
  const times: { mover: number; empty: number }[] = [];
  for (let run = 0; run <= runs; run++) {
    const empty = await timeOf(shell, "node -e ''");
    const mover = await timeOf(shell, moverCommand('bench-that-does-not-exist'));
    if (run > 0) times.push({ mover, empty });
  }
  const megabytes = await waitingMegabytes(lateen, shell, signal);
  const mover = median(times.map((each) => each.mover));
  const empty = median(times.map((each) => each.empty));
  return [
    {
      name: 'data-mover: start, first API call, answer and exit',
      value: mover,
      unit: 'ms',
      target: `first call under ${firstCallMsMax} ms`,
      reached: mover < firstCallMsMax,
      note: 'an upper bound of the time to the first call',
    },
    { name: 'data-mover: the same / empty Node script', value: mover / empty, unit: '×' },
    {
      name: 'data-mover: resident before the engine starts',
      value: megabytes,
      unit: 'MB',
      target: `under ${megabytesMax} MB`,
      reached: megabytes < megabytesMax,
    },
  ];
}

const moverCommand = (name: string): string =>
  `LATEEN_TERMINATION_LOG=/tmp/bench-termination-log data-mover backup --volume-path=/scratch --volume-mode=Filesystem --data-upload=${name} --resource-timeout=1m --log-level=error --log-format=json`;

async function timeOf(shell: PodShell, command: string): Promise<number> {
  const script = `start=$(date +%s%N)\n${command} >/dev/null 2>&1 || true\necho $(( ($(date +%s%N) - start) / 1000000 ))\n`;
  return Number(await shell.run(['sh', '-s'], script));
}

/** Uses a DataUpload for another data mover, which no node-agent starts. */
async function waitingMegabytes(lateen: RunningLateen, shell: PodShell, signal: AbortSignal): Promise<number> {
  const { kube, veleroNamespace: namespace } = lateen;
  const key = { namespace, name: `bench-${systemRandom.suffix(5)}` };
  const upload: DataUpload = {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataUpload',
    metadata: key,
    spec: {
      datamover: 'bench',
      snapshotType: 'CSI',
      sourcePVC: 'none',
      sourceNamespace: 'none',
      backupStorageLocation: 'default',
      operationTimeout: '1m',
    },
  };
  await kube.create(dataUploadType, upload, { signal });
  try {
    const script = `${moverCommand(key.name)} >/dev/null 2>&1 &\nsleep ${settleSeconds}\ngrep VmRSS /proc/$!/status\nkill -9 $!\n`;
    const printed = await shell.run(['sh', '-s'], script);
    return (Number(/VmRSS:\s+(\d+) kB/.exec(printed)?.[1]) * 1024) / 1e6;
  } finally {
    await kube.delete(dataUploadType, key);
  }
}
