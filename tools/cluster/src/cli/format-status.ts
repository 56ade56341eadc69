import { dump } from 'js-yaml';
import type { ClusterStatus, MachineStatus } from '../lifecycle/cluster-status.ts';

export const outputFormats = ['text', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** A status as text or data. Never contains the S3 secret key. */
export function formatStatus(status: ClusterStatus, format: OutputFormat): string {
  if (format === 'json') return JSON.stringify(withoutSecrets(status), null, 2);
  if (format === 'yaml') return dump(withoutSecrets(status)).trimEnd();
  return statusText(status);
}

function withoutSecrets(status: ClusterStatus): unknown {
  if (status.info === undefined) return status;
  const { secretKey: _, ...s3 } = status.info.s3;
  return { ...status, info: { ...status.info, s3 } };
}

function statusText(status: ClusterStatus): string {
  if (status.phase === 'absent')
    return `There is no cluster in ${status.dir}. Start one with \`npm run cluster -- up\`.`;
  const lines = [`cluster ${status.info?.id} in ${status.dir}: ${status.phase}`];
  if (status.info)
    lines.push(
      `kubeconfig  ${status.info.kubeconfig}`,
      `API server  ${status.info.apiServerUrl} (${status.apiServerReady ? 'ready' : 'not ready'})`,
      `S3          ${status.info.s3.endpointForHost}/${status.info.s3.bucket}`,
    );
  lines.push(...status.machines.map(machineLine));
  if (status.phase === 'degraded') lines.push('Run `npm run cluster -- up` to repair it.');
  return lines.join('\n');
}

function machineLine(machine: MachineStatus): string {
  const programs = machine.programs.map(({ name, running }) => (running ? name : `${name} (NOT RUNNING)`)).join(', ');
  const ready = machine.ready === undefined ? '' : machine.ready ? ', Ready' : ', NOT READY';
  return `${machine.name.padEnd(14)}${machine.running ? 'runs' : 'DOWN'}${ready}: ${programs}`;
}
