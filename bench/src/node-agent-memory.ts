import { podType } from '@lateen/api-types';
import { podShell } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import type { BenchRow } from './bench-row.ts';

const megabytesMax = 110;

/** Resident memory of an idle node-agent, read from /proc in its container. */
export async function benchNodeAgentMemory(lateen: RunningLateen, signal: AbortSignal): Promise<BenchRow[]> {
  const { items } = await lateen.kube.list(podType, {
    namespace: lateen.veleroNamespace,
    labelSelector: 'role=node-agent',
    signal,
  });
  const name = items[0]?.metadata.name;
  if (name === undefined) throw new Error(`no node-agent pod in namespace ${lateen.veleroNamespace}`);
  const shell = podShell({
    kubectl: lateen.kubectl,
    kubeconfig: lateen.kubeconfig,
    namespace: lateen.veleroNamespace,
    pod: name,
    signal,
  });
  const status = await shell.run(['cat', '/proc/1/status']);
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  const megabytes = (kilobytes * 1024) / 1e6;
  return [
    {
      name: 'node-agent idle, resident',
      value: megabytes,
      unit: 'MB',
      target: `under ${megabytesMax} MB`,
      reached: megabytes < megabytesMax,
    },
  ];
}
