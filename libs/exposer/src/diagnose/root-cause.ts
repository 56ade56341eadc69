import type { CoreEvent, PersistentVolumeClaim, Pod, VolumeSnapshot } from '@lateen/api-types';
import { hostingPodFailure } from './hosting-pod-failure.ts';

/** What there is of an exposure, and the Events about objects of its name. */
export interface ExposureSeen {
  pod?: Pod | undefined;
  claim?: PersistentVolumeClaim | undefined;
  snapshot?: VolumeSnapshot | undefined;
  events: readonly CoreEvent[];
}

type Check = (seen: ExposureSeen) => string | undefined;

/**
 * From the cause to the symptom: without a snapshot there is no volume, without a volume the pod is not scheduled. The
 * first finding is the one to tell.
 */
const checks: readonly Check[] = [
  snapshotHasError,
  claimCannotBeProvisioned,
  podCannotRun,
  podCannotMount,
  podIsNotScheduled,
  claimIsPending,
];

/** Why an exposure is not ready, in one sentence; undefined when nothing is found. */
export function rootCause(seen: ExposureSeen): string | undefined {
  for (const check of checks) {
    const finding = check(seen);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

function snapshotHasError({ snapshot }: ExposureSeen): string | undefined {
  const message = snapshot?.status?.readyToUse === true ? undefined : snapshot?.status?.error?.message;
  return message === undefined ? undefined : `VolumeSnapshot ${nameOf(snapshot)} is not ready: ${message}`;
}

function claimCannotBeProvisioned({ claim, events }: ExposureSeen): string | undefined {
  if (claim === undefined || claim.status?.phase === 'Bound') return undefined;
  const event = latest(events, 'PersistentVolumeClaim', ['ProvisioningFailed']);
  return (
    event && `volume of PersistentVolumeClaim ${nameOf(claim)} cannot be provisioned: ${event.message ?? event.reason}`
  );
}

function podCannotRun({ pod }: ExposureSeen): string | undefined {
  return pod === undefined ? undefined : hostingPodFailure(pod)?.message;
}

function podCannotMount({ pod, events }: ExposureSeen): string | undefined {
  if (pod === undefined || pod.status?.phase !== 'Pending') return undefined;
  const event = latest(events, 'Pod', ['FailedMount', 'FailedAttachVolume', 'FailedMapVolume']);
  return event && `hosting pod ${nameOf(pod)} cannot mount its volume: ${event.message ?? event.reason}`;
}

function podIsNotScheduled({ pod }: ExposureSeen): string | undefined {
  const scheduled = pod?.status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  // Gated by us, until the volume is bound: a symptom, not a cause.
  if (scheduled?.status !== 'False' || scheduled.reason === 'SchedulingGated') return undefined;
  return `hosting pod ${nameOf(pod)} is not scheduled: ${scheduled.message ?? scheduled.reason ?? 'no reason given'}`;
}

function claimIsPending({ claim }: ExposureSeen): string | undefined {
  if (claim === undefined || claim.status?.phase === 'Bound') return undefined;
  return `PersistentVolumeClaim ${nameOf(claim)} has no volume yet (StorageClass ${claim.spec.storageClassName ?? 'not set'})`;
}

/** Times are ISO texts, which sort as they are. */
function latest(events: readonly CoreEvent[], kind: string, reasons: readonly string[]): CoreEvent | undefined {
  return events
    .filter((event) => event.involvedObject.kind === kind && reasons.includes(event.reason ?? ''))
    .toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .at(-1);
}

function timeOf(event: CoreEvent): string {
  return event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}

function nameOf(object: { metadata: { namespace?: string; name?: string } } | undefined): string {
  return `${object?.metadata.namespace}/${object?.metadata.name}`;
}
