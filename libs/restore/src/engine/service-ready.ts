import type { ResourceType, Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';
import { waitForObject, waitForObjects } from '@lateen/kube-runtime';
import type { WebhookService } from '../order/gates.ts';
import type { RestoreEnginePorts } from './contract.ts';

const slicesType: ResourceType<Unstructured> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
};
const endpointsType: ResourceType<Unstructured> = {
  group: '',
  version: 'v1',
  resource: 'endpoints',
  kind: 'Endpoints',
  namespaced: true,
};
/** The cluster sets this label on every EndpointSlice of a Service, also on those that mirror Endpoints. */
const sliceServiceLabel = 'kubernetes.io/service-name';

type WaitPorts = Pick<RestoreEnginePorts, 'kube' | 'clock' | 'random' | 'log' | 'limits'>;

/** Waits until a Service has an endpoint that is ready. @throws WEBHOOK_NOT_READY after the resource timeout; the signal's reason */
export async function serviceReady(ports: WaitPorts, service: WebhookService, signal: AbortSignal): Promise<void> {
  const { clock, limits } = ports;
  const late = clock.deadline(limits.resourceTimeoutMs);
  try {
    await endpointReady(ports, service, AbortSignal.any([signal, late]));
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error;
    const waited = durationText(limits.resourceTimeoutMs);
    throw new AppError('WEBHOOK_NOT_READY', `no pod of it was ready within ${waited}`, {
      cause: error,
      nextStep: 'See why its pods are not ready. --resource-timeout gives them more time.',
    });
  }
}

/** Checks EndpointSlices, which every Service has; Endpoints only when EndpointSlices are not served. */
async function endpointReady(
  { kube: api, clock, random, log }: WaitPorts,
  { namespace, name }: WebhookService,
  signal: AbortSignal,
): Promise<void> {
  const waiting = { api, clock, random, log, signal };
  try {
    await waitForObjects({
      ...waiting,
      type: slicesType,
      namespace,
      labelSelector: `${sliceServiceLabel}=${name}`,
      until: (slices) => (slices.some(hasReadyEndpoint) ? true : undefined),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await waitForObject({
      ...waiting,
      type: endpointsType,
      key: { namespace, name },
      until: (endpoints) => (hasAddress(endpoints) ? true : undefined),
    });
  }
}

/** An endpoint without a ready condition counts as ready. */
function hasReadyEndpoint(slice: Unstructured): boolean {
  const { endpoints } = slice as {
    endpoints?: { addresses?: unknown[] | null; conditions?: { ready?: boolean | null } | null }[] | null;
  };
  return (endpoints ?? []).some(
    ({ addresses, conditions }) => (addresses?.length ?? 0) > 0 && conditions?.ready !== false,
  );
}

function hasAddress(endpoints: Unstructured | undefined): boolean {
  const { subsets } = (endpoints ?? {}) as { subsets?: { addresses?: unknown[] | null }[] | null };
  return (subsets ?? []).some(({ addresses }) => (addresses?.length ?? 0) > 0);
}
