import { isAppError } from '@lateen/errors';
import { causesOf } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import type { ReadyObject } from '../item/ready-object.ts';

const nodePortField = /(^|\.)(nodePort|healthCheckNodePort)$/;

/**
 * Ports of nodes belong to the cluster: those that a Service keeps can be asked for in a namespace that is there, when its own is not.
 * @throws KUBE_INVALID when one is taken
 */
export async function checkNodePorts(run: ItemRun, { type, wanted }: ReadyObject, signal: AbortSignal): Promise<void> {
  if (type.kind !== 'Service' || type.group !== '' || !keepsPorts(wanted.spec)) return;
  const { kube, veleroNamespace: namespace } = run.ports;
  const elsewhere = { ...wanted, metadata: { ...wanted.metadata, namespace } };
  try {
    await kube.create(type, elsewhere, { namespace, dryRun: true, signal });
  } catch (error) {
    // Whatever else is wrong with it there says nothing about its own namespace.
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
