import { podType } from '@lateen/api-types';
import { podShell } from '@lateen/demo';
import type { RunContext } from './run-to-end.ts';

const megabyte = 1e6;

/** Maximum resident memory of the installed controller since its start. */
export async function controllerMegabytes({ lateen, signal }: RunContext): Promise<number> {
  const { kube, veleroNamespace: namespace } = lateen;
  const { items } = await kube.list(podType, { namespace, labelSelector: 'name=lateen-controller', signal });
  const pod = items[0]?.metadata.name;
  if (pod === undefined) throw new Error(`no pod of lateen-controller in namespace ${namespace}`);
  const status = await podShell({ ...lateen, namespace, pod, signal }).run(['cat', '/proc/1/status']);
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / megabyte;
}
