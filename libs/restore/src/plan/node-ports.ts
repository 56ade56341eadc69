import { isAppError } from '@lateen/errors';
import { causesOf } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import type { ReadyObject } from '../item/ready-object.ts';

const nodePortField = /(^|\.)(nodePort|healthCheckNodePort)$/;

/**
 * Checks the node ports that a Service keeps, by a dry run in an existing namespace when its own does not exist yet: node ports belong to
 * the whole cluster.
 */
export async function checkNodePorts(run: ItemRun, { type, wanted }: ReadyObject, signal: AbortSignal): Promise<void> {
  if (type.kind !== 'Service' || type.group !== '' || !keepsPorts(wanted.spec)) return;
  const { kube, veleroNamespace: namespace } = run.ports;
  const elsewhere = { ...wanted, metadata: { ...wanted.metadata, namespace } };
  try {
    await kube.create(type, elsewhere, { namespace, dryRun: true, signal });
  } catch (error) {
    // Other errors of that dry run say nothing about the Service's own namespace.
    const isTaken = causesOf(error).some(({ field = '' }) => nodePortField.test(field));
    if (isTaken && isAppError(error, 'KUBE_INVALID')) throw error;
    signal.throwIfAborted();
  }
}

function keepsPorts(spec: unknown): boolean {
  const { ports = [], healthCheckNodePort } = (spec ?? {}) as {
    ports?: { nodePort?: number }[];
    healthCheckNodePort?: number;
  };
  return Boolean(healthCheckNodePort) || ports.some(({ nodePort }) => Boolean(nodePort));
}
