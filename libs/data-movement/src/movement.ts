import type { DataDownload, DataUpload, Pod } from '@lateen/api-types';
import { finalizers, labels } from '@lateen/api-types';
import type { ExposeOwner } from '@lateen/exposer';
import { parseDurationMs } from '@lateen/kernel';

/** What the reconciler moves. Both kinds share phases, spec.cancel and nearly all of the status. */
export type Movement = DataUpload | DataDownload;

export function ownerOf(object: Movement): ExposeOwner {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid };
}

export const uidOf = (object: Movement): string => object.metadata.uid ?? '';

export const hasFinalizer = (object: Movement): boolean =>
  object.metadata.finalizers?.includes(finalizers.dataUploadDownload) ?? false;

export const isBeingDeleted = (object: Movement): boolean => object.metadata.deletionTimestamp !== undefined;

/** The reference's default, for an operationTimeout that is missing or cannot be read. */
const operationTimeoutDefault = '10m0s';

/** spec.operationTimeout as a Go duration and in ms. */
export function operationTimeoutOf(object: Movement): { text: string; ms: number } {
  const text = object.spec.operationTimeout;
  const ms = parseDurationMs(text ?? '');
  if (ms !== undefined && ms > 0) return { text, ms };
  return { text: operationTimeoutDefault, ms: parseDurationMs(operationTimeoutDefault) ?? 0 };
}

/** Epoch ms of a status timestamp; undefined when it is absent. */
export function timeOf(timestamp: string | null | undefined): number | undefined {
  const ms = Date.parse(timestamp ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The pod made for this very object, and not for an earlier one of the same name. */
export function isHostingPodOf(pod: Pod, object: Movement): boolean {
  return pod.metadata.ownerReferences?.some((reference) => reference.uid === object.metadata.uid) ?? false;
}

/** Selects the hosting pods of all kinds. */
export const hostingPodSelector = labels.exposerPodGroup;
